package jobtest

import (
	"encoding/base64"
	"net/url"
	"strings"
)

// canaryFormat is what a credential looks like.
type canaryFormat struct {
	name string
	// under is the name that gives away one which has no form of its own.
	under string
	make  func(filler) string
}

// lettered is a prefix and n letters, as most services have it.
func lettered(name, prefix string, n int) canaryFormat {
	return canaryFormat{name: name, make: func(f filler) string { return prefix + f.letters(n) }}
}

// numbered is a prefix and n hexadecimal digits.
func numbered(name, prefix string, n int) canaryFormat {
	return canaryFormat{name: name, make: func(f filler) string { return prefix + f.hex(n) }}
}

// shouted is a prefix and n capitals and digits.
func shouted(name, prefix string, n int) canaryFormat {
	return canaryFormat{name: name, make: func(f filler) string { return prefix + strings.ToUpper(f.letters(n)) }}
}

// underName has no form of its own.
func underName(name string, n int) canaryFormat {
	return canaryFormat{name: "what " + name + " is set to", under: name, make: func(f filler) string { return f.letters(n) }}
}

// around is a text with n letters in it, in place of a percent sign.
func around(name, text string, n int) canaryFormat {
	return canaryFormat{name: name, make: func(f filler) string { return strings.Replace(text, "%", f.letters(n), 1) }}
}

// encoded is another format in base64.
func encoded(of canaryFormat) canaryFormat {
	return canaryFormat{name: of.name + " in base64", make: func(f filler) string {
		return base64.StdEncoding.EncodeToString([]byte(of.make(f)))
	}}
}

// canaryFormats are made of parts, so that a scanner for secrets finds none here.
var canaryFormats = []canaryFormat{
	shouted("AWS access key", "AK"+"IA", 16), shouted("AWS session key", "AS"+"IA", 16),
	lettered("Azure client secret", "abc8"+"Q~", 33),
	around("Azure storage key", "DefaultEndpointsProtocol=https;AccountName=lab;Account"+"Key=%==", 86),
	around("Azure Service Bus", "Endpoint=sb://lab.servicebus.windows.net/;SharedAccess"+"Key=%=", 43),
	around("Azure signed URL", "https://lab.blob.core.windows.net/d/x?sv=2022-11-02&sp=r&"+"sig=%%3D", 43),
	around("Azure function", "https://lab.azurewebsites.net/api/run?"+"code=%==", 54),
	lettered("Google API key", "AI"+"za", 35), lettered("Google client secret", "GOC"+"SPX-", 28),
	lettered("Google access token", "ya"+"29.", 60), lettered("Google refresh token", "1/"+"/0", 60), shouted("Google HMAC", "GO"+"OG1", 40),
	lettered("Alibaba", "LT"+"AI5t", 18), lettered("Tencent", "AK"+"ID", 32), lettered("Volcano Engine", "AK"+"LT", 44),
	lettered("Yandex", "AQ"+"VN", 36),
	lettered("GitHub", "gh"+"p_", 36), lettered("GitHub app", "gh"+"s_", 36), lettered("GitHub refresh token", "gh"+"r_", 36),
	lettered("GitHub OAuth", "gh"+"o_", 36), lettered("GitHub fine-grained", "github"+"_pat_", 60),
	lettered("GitLab", "gl"+"pat-", 20), lettered("GitLab runner", "gl"+"rt-", 20), lettered("GitLab deploy token", "gl"+"dt-", 20),
	lettered("Hugging Face", "h"+"f_", 34), lettered("Hugging Face organisation", "api"+"_org_", 34),
	lettered("NVIDIA", "nv"+"api-", 64), lettered("W&B", "wandb"+"_v1_", 60),
	lettered("OpenAI", "s"+"k-", 48), lettered("OpenAI project", "s"+"k-proj-", 60), lettered("Anthropic", "s"+"k-ant-api03-", 80),
	lettered("OpenRouter", "s"+"k-or-v1-", 64), lettered("LangSmith", "ls"+"v2_pt_", 40), lettered("Groq", "gs"+"k_", 52), lettered("xAI", "xa"+"i-", 60),
	lettered("Perplexity", "pp"+"lx-", 48), lettered("Tavily", "tv"+"ly-", 32), lettered("Replicate", "r"+"8_", 37), lettered("Together", "tgp"+"_v1_", 43),
	numbered("E2B", "e2"+"b_", 40), lettered("Pinecone", "pc"+"sk_", 60), lettered("Roboflow", "r"+"f_", 24), numbered("ElevenLabs", "s"+"k_", 48),
	lettered("Fireworks", "f"+"w_", 24), lettered("RunPod", "rp"+"a_", 44),
	lettered("Slack", "xo"+"xb-1203450607-", 24), lettered("Slack app", "xa"+"pp-1-A0-", 40), lettered("Slack webhook", "https://hooks."+"slack.com/services/T0/B0/", 24),
	lettered("Discord webhook", "https://discord."+"com/api/webhooks/123456789012345678/", 60),
	lettered("Teams webhook", "https://lab.webhook."+"office.com/webhookb2/", 60), lettered("Telegram", "123456789:"+"AA", 33),
	lettered("Stripe", "s"+"k_live_", 24), around("SendGrid", "S"+"G.abcdefghijklmnopqrst12.%", 43),
	lettered("npm", "np"+"m_", 36), lettered("PyPI", "py"+"pi-AgEIcHlwaS5vcmc", 60), lettered("Docker Hub", "dck"+"r_pat_", 27),
	numbered("RubyGems", "ruby"+"gems_", 48), lettered("Artifactory", "AK"+"Cp8", 68),
	numbered("DigitalOcean", "dop"+"_v1_", 64), numbered("Databricks", "da"+"pi", 32),
	lettered("Vault", "hv"+"s.", 60), lettered("Terraform", "abcdefghij1234.atlas"+"v1.", 60), lettered("Grafana", "gl"+"sa_", 40),
	shouted("New Relic", "NR"+"AK-", 27), lettered("Sentry", "sn"+"trys_", 60), numbered("Sourcegraph", "sg"+"p_", 40), numbered("SonarQube", "sq"+"p_", 40),
	numbered("Buildkite", "bk"+"ua_", 40), lettered("Figma", "fi"+"gd_", 40), lettered("Tailscale", "ts"+"key-auth-", 30),
	lettered("Atlassian", "ATA"+"TT3", 60), lettered("Linear", "lin"+"_api_", 40), lettered("Notion", "nt"+"n_", 46), numbered("Pulumi", "pu"+"l-", 40),
	lettered("1Password", "ops"+"_eyJ", 200), lettered("Neon", "nap"+"i_", 64), lettered("Aiven", "AV"+"NS_", 19), lettered("Heroku", "HR"+"KU-AA", 58),
	shouted("age", "AGE-SECRET-"+"KEY-1", 58),
	around("private key", "-----BEGIN RSA PRIVATE "+"KEY-----\nMIIE%\n-----END RSA PRIVATE KEY-----\n", 64),
	around("private key on one line", `-----BEGIN PRIVATE `+`KEY-----\nMIIE%\n-----END PRIVATE KEY-----\n`, 64),
	around("OpenSSH key", "-----BEGIN OPENSSH PRIVATE "+"KEY-----\nb3Bl%\n-----END OPENSSH PRIVATE KEY-----", 64),
	around("JSON web token", "ey"+"JhbGciOiJIUzI1NiJ9.eyJzdWIiOiJjYW5hcnkifQ.%", 43),
	around("URL with a password", "postgres://trainer:%@db.lab:5432/runs", 16), around("URL with a token", "https://%@git.lab/models.git", 20),
	around("signed URL", "https://b.s3.amazonaws.com/o?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-"+"Signature=%", 64),
	around("header", "Authorization: "+"Bearer %", 40), around("registry login", `{"auths":{"nvcr.io":{"`+`auth":"%=="}}}`, 38),
	{name: "Neptune", make: func(f filler) string {
		return base64.StdEncoding.EncodeToString([]byte(`{"api_address":"https://app.neptune.ai","api_` + `key":"` + f.letters(32) + `"}`))
	}},
	{name: "Kaggle", make: func(f filler) string { return `{"username":"trainer","` + `key":"` + f.hex(32) + `"}` }},
	{name: "escaped URL with a password", make: func(f filler) string {
		return url.QueryEscape("postgres://trainer:" + f.letters(16) + "@db.lab/runs")
	}},
	encoded(lettered("Hugging Face", "h"+"f_", 34)), encoded(lettered("GitHub", "gh"+"p_", 36)), encoded(lettered("NVIDIA", "nv"+"api-", 64)),
	underName("HF_TOKEN", 20), underName("NGC_API_KEY", 84), underName("WANDB_API_KEY", 40), underName("AWS_SECRET_ACCESS_KEY", 40),
	underName("DB_PASSWORD", 14), underName("CLEARML_API_SECRET_KEY", 48), underName("MINIO_ROOT_PASSWORD", 12),
}
