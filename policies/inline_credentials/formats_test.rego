# Each known format of a token is found wherever it stands, whatever the name
# beside it says, and its placeholder is not.
package tao.rules.inline_credentials_formats_test

import data.tao.lib.fixture
import data.tao.rules.inline_credentials as rule

# What the services document of their tokens, filled with words of no meaning.
formats := {
	"AWS access key": ["AKIA2SYNTHETIC7TESTS", "ASIA2SYNTHETIC7TESTS"],
	"Azure client secret": [sprintf("abc8Q~Synthetic%s", [letters(26)])],
	"Azure storage key": [sprintf("DefaultEndpointsProtocol=https;AccountName=lab;AccountKey=%s==", [letters(40)])],
	"Azure service bus": [sprintf("Endpoint=sb://lab.servicebus.windows.net/;SharedAccessKey=%s=", [letters(43)])],
	"Azure function": [sprintf("https://lab.azurewebsites.net/api/run?code=%s==", [letters(54)])],
	"Google Cloud": [
		sprintf("AIza%s", [letters(35)]), sprintf("GOCSPX-%s", [letters(28)]), sprintf("ya29.%s", [letters(60)]),
		sprintf("1//0%s", [letters(60)]),
	],
	"GitHub": [token | some p in ["ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_"]; token := concat("", [p, letters(36)])],
	"GitLab": [token | some p in ["glpat-", "gldt-", "glrt-", "glrtr-", "glptt-", "glffct-", "gloas-"]; token := concat("", [p, letters(20)])],
	"Hugging Face": [sprintf("hf_%s", [letters(34)])],
	"NVIDIA": [sprintf("nvapi-%s", [letters(64)])],
	"model services": [
		sprintf("sk-%s", [letters(48)]), sprintf("sk-proj-%s", [letters(60)]), sprintf("sk-ant-api03-%s-AA", [letters(80)]),
		sprintf("gsk_%s", [letters(52)]), sprintf("r8_%s", [letters(37)]), sprintf("csk-%s", [letters(48)]),
		sprintf("fw_%s", [letters(24)]), sprintf("tgp_v1_%s", [letters(43)]), sprintf("e2b_%s", [digits(40)]),
		sprintf("rpa_%s", [letters(44)]), sprintf("jina_%s%s", [digits(32), letters(28)]),
	],
	"Slack": [sprintf("xoxb-1203450607-%s", [letters(24)]), sprintf("xoxe.xoxp-1-%s", [letters(40)]), sprintf("xapp-1-A0-%s", [letters(40)])],
	"Slack webhook": [sprintf("https://hooks.slack.com/services/T0SYNTHET/B0SYNTHET/%s", [letters(24)])],
	"Discord webhook": [sprintf("https://discord.com/api/webhooks/123456789012345678/%s", [letters(60)])],
	"Teams webhook": [sprintf("https://lab.webhook.office.com/webhookb2/%s", [letters(60)])],
	"WeCom webhook": ["https://qyapi.weixin.qq.com/cgi-bin/webhook/send?key=3f9a1c7e-5b2d-4804-86f1-e3a5c7092b4d"],
	"Telegram": [sprintf("123456789:AA%s", [letters(33)])],
	"Stripe": [sprintf("sk_live_%s", [letters(24)]), sprintf("rk_live_%s", [letters(24)])],
	"SendGrid": [sprintf("SG.%s.%s", [letters(22), letters(43)])],
	"Brevo": [sprintf("xkeysib-%s-%s", [digits(64), letters(16)])],
	"npm": [sprintf("npm_%s", [letters(36)])],
	"PyPI": [sprintf("pypi-AgEIcHlwaS5vcmc%s", [letters(60)])],
	"Docker": [sprintf("dckr_pat_%s", [letters(27)])],
	"Artifactory": [sprintf("AKCp8%s", [letters(68)]), sprintf("cmVmdGtuOj%s", [letters(54)])],
	"DigitalOcean": [sprintf("dop_v1_%s", [digits(64)]), sprintf("doo_v1_%s", [digits(64)])],
	"Databricks": [sprintf("dapi%s", [digits(32)])],
	"W&B": [sprintf("wandb_v1_%s", [letters(60)])],
	"Neptune": ["eyJhcGlfYWRkcmVzcyI6Imh0dHBzOi8vYXBwLm5lcHR1bmUuYWkiLCJhcGlfa2V5Ijoic3ludGhldGljIn0="],
	"Kaggle": [sprintf(`{"username":"trainer","key":"%s"}`, [digits(32)])],
	"Vault": [token | some p in ["hvs.", "hvb.", "hvr."]; token := concat("", [p, letters(60)])],
	"Terraform": [sprintf("%s.atlasv1.%s", [letters(14), letters(60)])],
	"Grafana": [sprintf("glsa_%s_3f9a1c7e", [letters(32)]), sprintf("glc_%s", [letters(60)])],
	"New Relic": [sprintf("NRAK-%s", [upper(letters(27))])],
	"Sentry": [sprintf("sntrys_%s", [letters(60)]), sprintf("sntryu_%s", [digits(64)])],
	"Sourcegraph": [sprintf("sgp_%s", [digits(40)])],
	"SonarQube": [sprintf("sqp_%s", [digits(40)])],
	"CircleCI": [sprintf("CCIPAT_%s_%s", [letters(22), digits(40)])],
	"Buildkite": [sprintf("bkua_%s", [digits(40)])],
	"Snyk": [sprintf("snyk_uat.%s.%s", [letters(8), letters(60)])],
	"PlanetScale": [sprintf("pscale_pw_%s", [letters(43)])],
	"Fly.io": [sprintf("FlyV1 fm2_%s", [letters(90)])],
	"Heroku": [sprintf("HRKU-AA%s", [letters(58)])],
	"Neon": [sprintf("napi_%s", [letters(64)])],
	"Aiven": [sprintf("AVNS_%s", [letters(19)])],
	"Dynatrace": [sprintf("dt0c01.%s.%s", [upper(letters(24)), upper(letters(64))])],
	"1Password": [sprintf("ops_eyJ%s", [letters(200)])],
	"Prefect": [sprintf("pnu_%s", [letters(36)])],
	"DVC Studio": [sprintf("isat_%s", [letters(60)])],
	"Alibaba": [sprintf("LTAI5t%s", [letters(18)])],
	"Tencent": [sprintf("AKID%s", [letters(32)])],
	"Volcano": [sprintf("AKLT%s", [letters(44)])],
	"Yandex": [sprintf("AQVN%s", [letters(36)])],
	"age": [
		"AGE-SECRET-KEY-1SYNTHETICSYNTHETICSYNTHETICSYNTHETICSYNTHETICSYNTHETICS",
		"AGE-SECRET-KEY-PQ-1SYNTHETICSYNTHETICSYNTHETICSYNTHETICSYNTHETICSYNTHET",
	],
	"private key": [
		"-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXktdjEAAAAASYNTHETIC\n-----END OPENSSH PRIVATE KEY-----",
		`-----BEGIN RSA PRIVATE KEY-----\nMIIEowIBAAKCAQEASYNTHETIC\n-----END RSA PRIVATE KEY-----`,
		"-----BEGIN PGP PRIVATE KEY BLOCK-----\n\nlQOYBGSYNTHETIC0123456789\n-----END PGP PRIVATE KEY BLOCK-----",
		sprintf("b3BlbnNzaC1rZXktdjEAAAAABG5vbmU%s", [letters(60)]),
		sprintf("PuTTY-User-Key-File-3: ssh-ed25519\nEncryption: none\nPrivate-Lines: 1\n%s", [letters(40)]),
	],
	"JSON web token": [
		"eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiJzeW50aGV0aWMifQ.c3ludGhldGljc2lnbmF0dXJl",
		sprintf("eyJhbGciOiJSU0EtT0FFUCIsImVuYyI6IkEyNTZHQ00ifQ.%s.%s.%s.%s", [letters(40), letters(16), letters(40), letters(22)]),
	],
	"URL": [
		"https://trainer:hunter2@host.lab/x", "sftp://trainer:hunter2@host.lab/x", "jdbc:oracle:thin:trainer/hunter2@host.lab:1521/x",
		"https://q7Wz2Kp9Lx4Vb8Nm3Jt6@host.lab/x", "https://3f9a1c7e5b2d8046f1e3a5c7092b4d6e8f0a1c3e@host.lab/x",
		"https://q7Wz2Kp9Lx4Vb8Nm3Jt6:x-oauth-basic@host.lab/x", "https://q7Wz2Kp9Lx4Vb8Nm3Jt6:@host.lab/x",
		"https://conda.lab/t/q7Wz2Kp9Lx4Vb8Nm3Jt6/channel",
	],
	"signed URL": [
		sprintf("https://b.s3.amazonaws.com/o?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Signature=%s", [digits(64)]),
		sprintf("https://lab.blob.core.windows.net/d/x?sv=2022-11-02&sp=r&sig=%s%%3D", [letters(43)]),
	],
	"header": ["Authorization: Basic c3ludGhldGljOnN5bnRoZXRpYw==", "Authorization: Bearer q7Wz2Kp9Lx4Vb8Nm3Jt6"],
	"registry login": [`{"auths":{"nvcr.io":{"auth":"JG9hdXRodG9rZW46c3ludGhldGlj"}}}`],
}

# Characters of all kinds, without the words of a placeholder.
letters(n) := substring(concat("", ["Synthetic7q2Wz", concat("", [part | some _ in numbers.range(1, 20); part := "Kp9Lx4Vb8Nm3"])]), 0, n)

digits(n) := substring("3f9a1c7e5b2d8046f1e3a5c7092b4d6e8f0a1c3e5b7d9f0246813579bdfaceca", 0, n)

in_a_container(token) := {
	"a variable": {"env": [{"name": "SETTING", "value": token}]},
	"an argument": {"args": ["train", token]},
	"a script": {"command": ["sh", "-c", sprintf("echo start\ntrain '%s' now\n", [token])]},
	"JSON in a variable": {"env": [{"name": "SETTING", "value": json.marshal({"x": [token]})}]},
	"a hook": {"lifecycle": {"preStop": {"exec": {"command": ["stop", token]}}}},
	"another field": {"imagePullPolicy": token},
}

# The containers of one Job are told apart by their place in it.
test_found_in_a_container[what] if {
	some what, tokens in formats
	every token in tokens {
		containers := [fields | some fields in in_a_container(token)]
		found := rule.violation with input as fixture.job({"spec": {"containers": containers}})
		fixture.hits(found) == numbers_below(count(containers))
		every violation in found {
			not contains(violation.message, token)
		}
	}
}

numbers_below(n) := {i | some i in numbers.range(0, n - 1)}

test_found_in_the_pod_and_its_metadata[what] if {
	some what, tokens in formats
	every token in tokens {
		job := json.patch(fixture.container({}), [
			{"op": "add", "path": "/metadata/annotations", "value": {"note": token}},
			{"op": "add", "path": "/spec/template/spec/nodeSelector", "value": {"pool": token}},
			{"op": "add", "path": "/spec/template/spec/volumes", "value": [{"name": "data", "nfs": {"server": token, "path": "/"}}]},
		])
		found := rule.violation with input as job
		{v.path[count(v.path) - 1] | some v in found} == {"note", "pool", "server"}
	}
}

# The beginnings of tokens alone, names that begin like one, and what stands in for one.
harmless := [
	"ghp_", "ghp_token", "ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx", "github_pat_example", "glpat-", "glpat-xxxxxxxxxxxxxxxxxxxx",
	"hf_home", "hf_dataset_conversion_job", "hf_xxxxxxxxxxxxxxxxxxxxxxxxxxxx", "nvapi-", "nvapi-xxxxxxxxxxxxxxxx",
	"sk-learn-forest-01", "mask-sk-large-0123456789abcdefghij", "sk_live_", "r8_experiment", "fw_version_12", "jina_embeddings_v3",
	"e2b_template", "rpa_benchmark_run", "gsk_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx", "AKIAIOSFODNN7EXAMPLE", "asia-southeast1",
	"xox", "xoxb-", "https://hooks.slack.com/services/T00000000/B00000000/XXXXXXXXXXXXXXXXXXXXXXXX", "dapi-server-01", "npm_config_cache",
	"dp.train.v2", "wandb_v1_baseline", "pul-request-17", "napi_rs_build", "nfp_model", "vcp_experiment", "pnu_dataset",
	"sgp_4", "pscale_x", "isat_17", "AKIDS", "sqp_solver_warm_start", "re_train", "eyJ0eXAi", "1//02", "a1//0b",
	"arn:aws:iam::111122223333:role/train", "https://user@host.lab/x", "https://build-bot-of-the-lab@host.lab/x",
	"https://3f9a1c7e5b2d8046f1e3a5c7092b4d6e@o1.ingest.sentry.io/1", "https://conda.lab/t/team-channel/linux",
	"https://conda.lab/t/$TOKEN/channel", "https://host.lab/a?sig=1", "https://lab.azurewebsites.net/api/run?code=abc",
	"jdbc:oracle:thin:@host.lab:1521/x", "jdbc:oracle:thin:trainer/$PASSWORD@host.lab:1521/x",
	"-----BEGIN CERTIFICATE-----", "-----BEGIN PUBLIC KEY-----", "age1qyqszqgpqyqszqgpqyqszqgpqyqszqgpqyqszqgpqyqszqgpqyqszqgp",
	"ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAISyntheticPublicKey0123456789abcdef trainer",
]

test_harmless_in_a_container if {
	every token in harmless {
		containers := [fields | some fields in in_a_container(token)]
		count(rule.violation) == 0 with input as fixture.job({"spec": {"containers": containers}})
	}
}

# The commonest are known by how they begin in base64.
test_found_in_base64[what] if {
	some what in {
		"AWS access key", "Azure storage key", "GitHub", "Hugging Face", "NVIDIA", "Slack", "Stripe", "SendGrid", "npm",
		"PyPI", "Docker", "Databricks", "W&B", "Neptune", "JSON web token", "registry login", "age", "Kaggle",
	}
	cases := [["BLOB", base64.encode(token)] | some token in formats[what]]
	fixture.hits(rule.violation) == numbers_below(count(cases)) with input as fixture.variables(cases)
}

test_harmless_in_base64 if {
	cases := [["BLOB", base64.encode(sprintf("x: %s\ny: 1\n", [token]))] | some token in harmless]
	fixture.hits(rule.violation) == set() with input as fixture.variables(cases)
}
