# METADATA
# description: >-
#   What a name promises of its value. A name of any style is taken as its words:
#   trainApiKey, --train.api-key and TRAIN_API_KEY are train, api, key.
package tao.lib.secret_name

# How sure a name is, which decides how much its value must look like a secret:
# "password" (any literal is one), "secret" (a literal of some length is one),
# "login" (one that is no mere word is one) and "vague" (only a random string is
# one). Undefined for all other names.
class(name) := kind if {
	list := words(name)
	not innocent(list)
	kind := class_of(telling(list))
} else := "vague" if {
	list := words(name)
	not innocent(list)
	some word in list
	hints[word]
}

words(name) := split(trim(regex.replace(lower(snake), `[^a-z0-9]+`, "_"), "_"), "_") if {
	snake := regex.replace(name, `([a-z0-9])([A-Z])`, "${1}_$2")
}

# The words with underscores between and around them.
joined(name) := sprintf("_%s_", [concat("_", words(name))])

# The words up to the one that counts: DB_PASSWORD_PROD, API_KEY_2.
telling(list) := array.slice(list, 0, last + 1) if {
	last := max([i | some i, word in list; not decoration[word]; not regex.match(`^[0-9]+$`, word)])
}

decoration := {
	"value", "plain", "text", "string", "literal", "raw", "b64", "base64", "encoded", "prod", "production", "dev",
	"stage", "staging", "test", "ro", "rw", "read", "write", "readonly", "new", "old", "main", "default",
}

# A name such as HF_TOKEN_SECRET or --secret may also be that of a Secret.
class_of(list) := "vague" if {
	list[count(list) - 1] == "secret"
	list[count(list) - 2] in {"key", "token", "password", "creds", "credentials"}
} else := "login" if {
	list == ["secret"]
} else := kind if {
	kind := certain[list[count(list) - 1]]
} else := "password" if {
	regex.match(`(?:password|passwd|passphrase|passcode)s?$`, list[count(list) - 1])
} else := "secret" if {
	list[count(list) - 1] in {"key", "keys"}
	owned(list)
} else := "secret" if {
	array.slice(list, count(list) - 3, count(list)) == ["access", "key", "id"]
} else := "identity" if {
	secret_id(list)
} else := "secret" if {
	list[count(list) - 1] == "tokens"
	list[count(list) - 2] in {"auth", "access", "api", "bearer", "refresh"}
} else := "secret" if {
	regex.match(`(?:secret|apikey|accesskey|secretkey|accountkey|storagekey|privatekey|authkey|authtoken|accesstoken|apitoken)$`, list[count(list) - 1])
}

# What the last word makes of a name on its own.
certain := {
	"pass": "password", "pwd": "password", "pw": "password", "psw": "password", "dbpass": "password", "userpass": "password",
	"mypwd": "password", "sshpass": "password", "rootpwd": "password", "adminpass": "password", "smtppass": "password", "storepass": "password", "keypass": "password",
	"requirepass": "password", "masterauth": "password",
	"secret": "secret", "secrets": "secret", "token": "secret", "hftoken": "secret", "gittoken": "secret",
	"githubtoken": "secret", "bottoken": "secret", "bearer": "secret", "jwt": "secret", "pat": "secret", "sas": "secret",
	"credential": "login", "credentials": "login", "cred": "login", "creds": "login", "auth": "login", "authn": "login",
	"authorization": "login",
}

hints := {
	"cookie", "password", "passwords", "passwd", "pass", "pwd", "secret", "secrets", "token", "tokens", "credential",
	"credentials", "creds", "auth", "key", "keys", "apikey", "jwt", "pat", "sas", "signature",
}

# Whose key is a secret: a kind of key that is, or a service that gives some out.
owned(list) if {
	some word in list
	owners[word]
}

owners := {
	"api", "access", "secret", "private", "encryption", "encrypt", "crypt", "signing", "sign", "account", "storage",
	"master", "shared", "auth", "session", "license", "subscription", "application", "app", "deploy", "service", "admin",
	"ingest", "ingestion", "hmac", "aes", "fernet", "jwt", "bot", "webhook", "ngc", "nvidia", "nvcr", "nvapi", "wandb", "hf",
	"huggingface", "hugging", "openai", "anthropic", "claude", "comet", "neptune", "clearml", "trains", "mlflow", "dagshub",
	"kaggle", "replicate", "roboflow", "labelbox", "supervisely", "encord", "v7", "cvat", "polyaxon", "determined",
	"voxel51", "lightning", "langchain", "langsmith", "cohere", "mistral", "groq", "together", "fireworks", "deepseek",
	"gemini", "openrouter", "pinecone", "qdrant", "weaviate", "aws", "azure", "gcp", "google", "minio", "ceph", "swift",
	"github", "gitlab", "gh", "docker", "quay", "npm", "pypi", "slack", "sentry", "datadog", "dd", "grafana", "stripe",
	"twilio", "sendgrid", "mailgun", "telegram", "pagerduty", "opsgenie", "databricks", "snowflake",
}

# Names that hold one of the words and no secret.
innocent(list) if {
	about[telling(list)[count(telling(list)) - 1]]
	array.slice(list, count(list) - 3, count(list)) != ["access", "key", "id"]
	not secret_id(list)
}

innocent(list) if switches[list[0]]

innocent(list) if {
	list[count(list) - 1] == "pass"
	list[count(list) - 2] in {"forward", "backward", "single", "one", "two", "multi", "first", "second", "final", "last", "per"}
}

innocent(list) if {
	some word in list
	never[word]
}

innocent(list) if {
	some i, word in list
	word in {"key", "keys"}
	other_keys[list[i - 1]]
}

innocent(list) if {
	some i, word in list
	word in {"token", "tokens"}
	model_tokens[list[i - 1]]
}

# Names of Secrets, which are objects in the cluster.
innocent(list) if {
	some word in {"secret", "secrets"}
	list[count(list) - 1] == word
	kinds_of_secret[list[count(list) - 2]]
}

# Parts of a signed URL, which is found as a whole.
innocent(["x", cloud, _]) if cloud in {"amz", "goog"}

innocent(["x", cloud, "security", "token"]) if cloud in {"amz", "goog"}

# Vault's AppRole has a password of this name, and a user's name beside it: ROLE_ID.
secret_id(list) if array.slice(list, count(list) - 2, count(list)) == ["secret", "id"]

# The last word says where the secret is, what it is called, or how it is used.
about := {
	"file", "filename", "files", "path", "paths", "dir", "dirs", "directory", "folder", "location", "mount", "volume", "name",
	"names", "id", "ids", "uid", "uuid", "url", "urls", "uri", "endpoint", "host", "hosts", "hostname", "port", "server",
	"service", "address", "addr", "domain", "region", "realm", "zone", "type", "types", "mode", "method", "methods", "scheme",
	"kind", "class", "format", "policy", "provider", "providers", "backend", "plugin", "module", "handler", "helper",
	"manager", "store", "cache", "source", "scope", "scopes", "audience", "issuer", "algorithm", "alg", "version", "enabled",
	"disabled", "required", "enable", "disable", "optional", "check", "checking", "verify", "verification", "validation",
	"timeout", "ttl", "expiry", "expiration", "expires", "expire", "in", "lifetime", "duration", "interval", "rotation",
	"seconds", "minutes", "hours", "days", "age", "length", "len", "size", "limit", "limits", "max", "min", "count", "num",
	"number", "rate", "ratio", "budget", "weight", "weights", "dim", "embedding", "embeddings", "index", "idx", "mask",
	"masks", "pos", "position", "positions", "header", "prefix", "suffix", "separator", "sep", "delimiter", "pattern",
	"regex", "template", "label", "labels", "tag", "tags", "alias", "ref", "refs", "reference", "arn", "user", "username",
	"login", "email", "owner", "group", "role", "tenant", "project", "org", "team", "env", "var", "variable", "vars", "field",
	"column", "attribute", "param", "option", "options", "flag", "config", "configuration", "settings", "profile", "context",
	"stdin", "prompt", "hint", "help", "info", "description", "status", "state", "hash", "hashes", "salt", "rounds", "seed",
	"usage", "lookup", "bindings", "binding", "map", "mapping", "point", "points", "frame", "frames", "strategy", "pool",
	"pooling", "merging", "dropout", "strict", "parallelism", "batch", "second", "exchange", "review", "request", "response",
	"interactive", "only", "first", "last", "protocol", "library", "driver", "engine", "behavior", "client", "sock",
	"keyfile", "keystore", "keyring", "certificate", "cert",
}

# The first word asks whether, or how many.
switches := {
	"no", "use", "add", "enable", "disable", "skip", "with", "without", "allow", "require", "is", "has", "show", "hide",
	"print", "save", "strip", "ignore", "force", "include", "exclude", "return", "max", "min", "num", "n", "total",
}

never := {
	"checksum", "sha256", "sha512", "sha1", "sha", "md5", "digest", "fingerprint", "thumbprint", "revision", "commit",
	"kms", "cmk", "pubkey", "publishable",
}

other_keys := {
	"public", "pub", "host", "hosts", "primary", "foreign", "sort", "partition", "cache", "object", "group", "routing",
	"image", "hot", "dict", "index", "query", "row", "label", "map", "s3", "value", "lookup", "shard", "join", "unique",
	"config", "idempotency", "recv",
}

model_tokens := {
	"pad", "eos", "bos", "cls", "sep", "unk", "mask", "special", "image", "img", "video", "audio", "start", "end", "stop",
	"begin", "prefix", "suffix", "prompt", "next", "first", "last", "per", "max", "min", "num", "n", "new", "added", "extra",
	"vocab", "text", "visual", "vision", "point", "query", "key", "register", "think", "tool", "word", "object", "class",
	"patch", "region", "box", "seg", "loc", "pos", "skip", "placeholder", "global", "cross",
}

kinds_of_secret := {
	"credential", "credentials", "creds", "image", "imagepull", "pull", "tls", "registry", "docker", "regcred", "kube",
	"k8s", "existing", "external", "sealed", "job", "generic", "kubernetes",
}
