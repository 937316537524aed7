# METADATA
# description: >-
#   What a name promises of its value. Names of every style are compared as words
#   between underscores: trainApiKey, train.api-key and TRAIN_API_KEY are _train_api_key_.
package tao.lib.secret_name

# How sure a name is, which decides how much its value must look like a secret:
# "password" (any literal is one), "secret" (a literal of some length is one),
# "login" (one that is no mere word is one) and "vague" (only a random string is
# one). Undefined for all other names.
class(name) := "password" if {
	words := normal(name)
	not innocent(words)
	regex.match(password, words)
} else := "secret" if {
	words := normal(name)
	not innocent(words)
	regex.match(secret, words)
} else := "login" if {
	words := normal(name)
	not innocent(words)
	regex.match(login, words)
} else := "vague" if {
	words := normal(name)
	not innocent(words)
	regex.match(vague, words)
}

normal(name) := sprintf("_%s_", [trim(regex.replace(lower(snake), `[^a-z0-9]+`, "_"), "_")]) if {
	snake := regex.replace(name, `([a-z0-9])([A-Z])`, "${1}_${2}")
}

# What may follow the word that counts: DB_PASSWORD_PROD, API_KEY_2.
decoration := `_(?:(?:value|plain|text|string|literal|raw|b64|base64|encoded|prod|production|dev|stage|staging|test|ro|rw|read|write|readonly|new|old|main|default|[0-9]+)_)*$`

password := concat("", [
	`_(?:[a-z0-9]*(?:password|passwd|passphrase|passcode)s?`,
	`|(?:db|sql|my|pg|root|admin|user|mongo|redis|smtp|mail|ssh|git)?(?:pass|pwd|pw))`,
	decoration,
])

secret := concat("", [
	`_(?:(?:`, key_owners, `)_?(?:[a-z]+_)?keys?(?:_id)?`,
	`|[a-z]*(?:secret|apikey|accesskey|secretkey|privatekey|authtoken|accesstoken)`,
	`|(?:hf|git|github|gitlab|ngc|api|bot|auth|access|refresh|bearer|session|oauth)?token`,
	`|(?:auth|access|api|bearer|refresh)_tokens`,
	`|bearer|jwt|pat|sas|secrets?)`,
	decoration,
])

login := concat("", [`_(?:credentials?|creds?|authorization|auth|authn)`, decoration])

vague := `_(?:cookie|passwords?|passwd|pass|pwd|secrets?|tokens?|credentials?|creds|auth|[a-z]*keys?|jwt|pat|sas|signature)_`

# Whose key is a secret: the kinds of key that are, and services that give some out.
key_owners := concat("|", [
	`api|access|secret|private|encryption|encrypt|crypt|signing|sign|account|storage|master|shared|auth|session`,
	`license|subscription|application|app|deploy|service|admin|ingest|ingestion|hmac|aes|fernet|jwt|host_?api|bot|webhook`,
	`ngc|nvidia|nvcr|nvapi|wandb|hf|hugging_?face|openai|anthropic|claude|comet|comet_ml|neptune|clear_?ml|trains|mlflow`,
	`dagshub|kaggle|replicate|roboflow|labelbox|label_studio|supervisely|encord|v7|cvat|polyaxon|determined|voxel51`,
	`lightning|langchain|langsmith|cohere|mistral|groq|together|fireworks|deepseek|gemini|openrouter|pinecone|qdrant`,
	`weaviate|aws|azure|gcp|google|minio|s3_?(?:access|secret)|ceph|swift|github|gitlab|gh|docker|quay|npm|pypi|slack`,
	`sentry|datadog|dd|new_?relic|grafana|stripe|twilio|sendgrid|mailgun|telegram|pagerduty|opsgenie|databricks|snowflake`,
])

# Names that hold one of the words and no secret.
innocent(words) if regex.match(about, words)

innocent(words) if {
	regex.match(harmless, words)
	not regex.match(`_access_?key_id_`, words)
}

# Where the secret is, what it is called, how it is used: its last word tells.
about := concat("", [
	`_(?:file|filename|files|path|paths|dir|dirs|directory|folder|location|mount|volume|name|names|id|ids|uid|uuid|url|urls|uri`,
	`|endpoint|host|hosts|hostname|port|server|service|address|addr|domain|region|realm|zone|type|types|mode|method|methods`,
	`|scheme|kind|class|format|policy|provider|providers|backend|plugin|module|handler|helper|manager|store|cache|source|scope`,
	`|scopes|audience|issuer|algorithm|alg|version|enabled|disabled|required|enable|disable|optional|check|checking|verify`,
	`|verification|validation|timeout|ttl|expiry|expiration|expires|expire|expires_in|lifetime|duration|interval|rotation|age`,
	`|length|len|size|limit|limits|max|min|count|num|number|rate|ratio|budget|weight|weights|dim|embedding|embeddings|index|idx`,
	`|mask|masks|pos|position|positions|header|prefix|suffix|separator|sep|delimiter|pattern|regex|template|label|labels|tag|tags`,
	`|alias|ref|refs|reference|arn|user|username|login|email|owner|group|role|tenant|project|org|team|env|var|variable|vars|field`,
	`|column|attribute|param|option|options|flag|config|configuration|settings|profile|context|stdin|prompt|hint|help|info`,
	`|description|status|state|hash|hashes|digest|sha|sha256|md5|checksum|fingerprint|thumbprint|salt|rounds|seed|usage|lookup`,
	`|bindings|binding|map|mapping|points?|frames?|strategy|pool|pooling|merging|dropout|strict|parallelism|per_batch|per_second`,
	`|exchange|review|request|response|revision|interactive|only|first|last|protocol|library|driver|engine|behavior|client|sock)`,
	`(?:_[0-9]+)?_$`,
])

harmless := concat("", [
	`^_(?:no|use|add|enable|disable|skip|with|without|allow|require|is|has|show|hide|print|save|strip|ignore|force|include`,
	`|exclude|return|max|min|num|n|total|old_?pwd|pwd)_`,
	`|_(?:public|pub|publishable|ssh_host|host|known_hosts|primary|foreign|sort|partition|cache|kms|object|group|routing|image`,
	`|hot|dict|index|query|row|label|map|s3|value|lookup|shard|join|unique|config|secret_key_ref|idempotency)_keys?_$`,
	`|_(?:pubkey|kms|cmk|certificate|cert|keyfile|keystore|keyring)_`,
	`|_(?:pad|eos|bos|cls|sep|unk|mask|special|image|img|video|audio|start|end|stop|begin|prefix|suffix|prompt|next|first|last|per`,
	`|max|min|num|n|new|added|extra|vocab|text|visual|vision|point|query|key|register|think|tool`,
	`|word|object|class|patch|region|box|seg|loc|skip|placeholder|global|cross)_tokens?_`,
	`|_(?:credentials?|creds|image_?pull|pull|tls|registry|docker|regcred|kube|k8s|existing|job|generic)_secrets?_`,
	`|_(?:checksum|sha256|sha1|md5|hash|digest|revision|commit|x_amz|x_goog)_`,
	`|_secret_(?:name|ref|key_ref|store|class)`,
])
