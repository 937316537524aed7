# METADATA
# description: >-
#   The tokens of services that begin with a prefix of the service's own, as its
#   documentation says. Lengths are lower bounds, since services lengthen their tokens.
package tao.lib.secret_service

# As in secret_format: a word, then an expression. Where "mixed" is true the prefix
# is short or common, so that the token must also be letters of both cases and digits.
formats := {
	# https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_identifiers.html
	"AWS access key": {
		"words": `{*AKIA*,*ASIA*,*ABIA*,*ACCA*}`,
		"pattern": `(?:^|[^A-Za-z0-9])((?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16})(?:[^A-Za-z0-9]|$)`,
	},
	# Alibaba, Tencent, Volcano Engine, Yandex and Google (HMAC)
	"cloud access key": {
		"words": `{*LTAI*,*AKID*,*AKLT*,*GOOG1*,*AQVN*,*YCAJE*}`,
		"pattern": `\b(?:LTAI[A-Za-z0-9]{12,}|AKID[A-Za-z0-9]{20,}|AKLT[A-Za-z0-9]{20,}|GOOG1[A-Z0-9]{20,}|AQVN[\w-]{34,}|YCAJE[\w-]{18,})`,
	},
	# https://docs.github.com/authentication/keeping-your-account-and-data-secure/about-authentication-to-github
	"GitHub token": {
		"words": `{*ghp_*,*gho_*,*ghu_*,*ghs_*,*ghr_*,*github_pat_*}`,
		"pattern": `gh[pousr]_[A-Za-z0-9]{20,}|github_pat_[A-Za-z0-9_]{20,}`,
	},
	# https://docs.gitlab.com/security/tokens/#token-prefixes
	"GitLab token": {
		"words": `{*glpat-*,*gldt-*,*glrt-*,*glrtr-*,*glcbt-*,*glptt-*,*glft-*,*glffct-*,*glimt-*,*glagent-*,*gloas-*,*glsoat-*,*GR1348941*}`,
		"pattern": `\bgl(?:pat|dt|rt|rtr|cbt|ptt|ft|ffct|imt|agent|oas|soat)-[\w.-]{16,}|GR1348941[\w-]{16,}`,
	},
	# https://huggingface.co/docs/hub/security-tokens
	"Hugging Face token": {
		"words": `{*hf_*,*api_org_*}`,
		"pattern": `(?:^|[^A-Za-z0-9_]|_)((?:hf|api_org)_[A-Za-z0-9]{20,})`,
	},
	# https://docs.nvidia.com/ngc/latest/ngc-user-guide.html; older keys are told by the name beside them
	"NVIDIA API key": {
		"words": `{*nvapi-*}`,
		"pattern": `nvapi-[\w-]{14,}`,
	},
	# https://docs.wandb.ai: keys with a version; older ones are told by the name beside them
	"W&B API key": {
		"words": `*_v1_*`,
		"pattern": `wandb_v1_\w{16,}`,
	},
	# OpenAI, Anthropic, OpenRouter, Langfuse, LangSmith, Groq, xAI, Perplexity, Tavily, Replicate, Cerebras,
	# Together, E2B, Jina, ElevenLabs, Pinecone, Roboflow
	"API key of a model service": {
		"words": `{*sk-*,*lsv2_*,*gsk_*,*xai-*,*pplx-*,*tvly-*,*r8_*,*_v1_*,*e2b_*,*jina_*,*pcsk_*,*rf_*,*sk_*}`,
		"pattern": `(?:^|[^\w-])(?:sk-(?:(?:proj|ant|svcacct|admin|or|lf|None)-[\w-]{16,}|[A-Za-z0-9]{20,})|lsv2_(?:pt|sk)_\w{20,}|gsk_[A-Za-z0-9]{30,}|xai-[A-Za-z0-9]{30,}|pplx-[A-Za-z0-9]{30,}|tvly-[A-Za-z0-9-]{20,}|r8_[A-Za-z0-9]{30,}|csk-[A-Za-z0-9]{30,}|tgp_v1_[\w-]{30,}|e2b_[0-9a-f]{40}|jina_[0-9a-f]{32}\w{20,}|sk_[0-9a-f]{48}|pcsk_\w{20,}|rf_[A-Za-z0-9]{20,})`,
	},
	# Fireworks, RunPod
	"key of a model service": {
		"words": `{*fw_*,*rpa_*}`,
		"pattern": `\b(?:fw_([A-Za-z0-9]{20,})|rpa_([A-Za-z0-9]{40,}))`, "mixed": true,
	},
	# https://api.slack.com/authentication/token-types
	"Slack token": {
		"words": `{*xox*,*xapp-*}`,
		"pattern": `\bxox[abceoprs](?:\.xox[a-z])?-[A-Za-z0-9-]{10,}|\bxapp-[0-9]-[A-Za-z0-9-]{10,}`,
	},
	# URLs that let anyone write: Slack, Discord, Teams, Zapier, Google Chat, Telegram, Feishu, DingTalk, WeCom
	"webhook URL": {
		"words": `{*hooks.slack.com/*,*webhooks/*,*webhook.office.com/*,*hooks.zapier.com/*,*chat.googleapis.com/*,*:AA*,*/bot/v2/hook/*,*dingtalk.com/*,*webhook/send?key=*}`,
		"pattern": `hooks\.slack\.com/(?:services|workflows|triggers)/([\w/-]{16,})|discord(?:app)?\.com/api/(?:v[0-9]+/)?webhooks/([0-9]+/[\w-]{16,})|webhook\.office\.com/webhookb?2?/(\S{20,})|hooks\.zapier\.com/hooks/catch/([0-9]+/[a-z0-9]+)|chat\.googleapis\.com/v1/spaces/\S+[?&]token=([\w%-]{10,})|\b(?:bot)?([0-9]{8,10}:AA[\w-]{30,})|/bot/v2/hook/([\w-]{20,})|dingtalk\.com/robot/send\?access_token=(\w{20,})|webhook/send\?key=([\w-]{20,})`,
	},
	# https://cloud.google.com/docs/authentication/api-keys, OAuth clients, access and refresh tokens
	"Google key": {
		"words": `{*AIza*,*GOCSPX-*,*ya29.*,*1//0*}`,
		"pattern": `AIza[\w-]{30,}|GOCSPX-[\w-]{16,}|ya29\.[\w-]{20,}|\b1//0[\w-]{40,}`,
	},
	# npm, PyPI, Docker, RubyGems, Artifactory, Clojars
	"package registry token": {
		"words": `{*npm_*,*pypi-*,*dckr_*,*rubygems_*,*AKCp*,*cmVmdGtuOj*,*CLOJARS_*}`,
		"pattern": `\bnpm_[A-Za-z0-9]{30,}|pypi-[\w-]{30,}|dckr_(?:pat|oat)_[\w-]{16,}|rubygems_[a-f0-9]{32,}|\bAKCp[0-9][A-Za-z0-9]{60,}|\bcmVmdGtuOj[A-Za-z0-9]{50,}|\bCLOJARS_[a-f0-9]{50,}`,
	},
	# https://docs.stripe.com/keys, https://www.twilio.com/docs/sendgrid, Brevo
	"payment or mail service key": {
		"words": `{*_live_*,*_test_*,*SG.*,*whsec_*,*xkeysib-*}`,
		"pattern": `\b[rs]k_(?:live|test)_[A-Za-z0-9]{16,}|\bSG\.[\w-]{16,}\.[\w-]{16,}|\bwhsec_[A-Za-z0-9+/]{16,}|\bxkeysib-[a-f0-9]{60,}-\w{12,}`,
	},
	# Databricks, Vault, DigitalOcean, Grafana, Postman, Linear, Notion, Supabase, Figma, Shopify, Atlassian,
	# Doppler, Pulumi, Tailscale, Terraform, New Relic
	"service token": {
		"words": `{*dapi*,*hvs.*,*hvb.*,*hvr.*,*_v1_*,*glsa_*,*glc_*,*PMAK-*,*lin_api_*,*ntn_*,*sbp_*,*tskey-*,*pul-*,*atlasv1.*,*figd_*,*shpat_*,*ATATT3*,*ATBB*,*dp.*,*NRAK-*}`,
		"pattern": `\bdapi[a-f0-9]{32}|\bhv[sbr]\.[\w-]{16,}|\bdo[opr]_v1_[a-f0-9]{32,}|\bglsa_\w{32,}|\bglc_[A-Za-z0-9+/=]{32,}|\bPMAK-[a-f0-9]{24}-[a-f0-9]{34}|\blin_api_\w{20,}|\bntn_\w{40,}|\bsbp_[a-f0-9]{32,}|\btskey-[a-z]+-[A-Za-z0-9-]{16,}|\bpul-[a-f0-9]{40}|\w{14}\.atlasv1\.[\w-]{40,}|\bfigd_[\w-]{20,}|\bshpat_[a-f0-9]{32}|\bATATT3[\w=-]{20,}|\bATBB\w{24,}|\bdp\.(?:pt|st|ct|sa)\.[\w.-]{20,}|\bNRAK-[A-Z0-9]{20,}`,
	},
	# Sentry, Sourcegraph, SonarQube, CircleCI, Buildkite, Snyk, PlanetScale, Fly.io, Heroku, Neon, Aiven,
	# Dynatrace, 1Password, Prefect, DVC Studio
	"platform token": {
		"words": `{*sntry*,*sgp_*,*sqp_*,*squ_*,*sqa_*,*CCIPAT_*,*bkua_*,*snyk_uat.*,*pscale_*,*fm2_*,*HRKU-*,*napi_*,*AVNS_*,*dt0c01.*,*ops_eyJ*,*pnu_*,*isat_*}`,
		"pattern": `\bsntry[su]_[\w+/=-]{40,}|\bsgp_(?:\w+_)?[a-f0-9]{40}|\bsq[pua]_[a-f0-9]{40}|\bCCIPAT_\w{40,}|\bbkua_[a-f0-9]{40}|\bsnyk_uat\.\w+\.[\w.-]{20,}|\bpscale_(?:pw|tkn|oauth)_[\w-]{30,}|\bfm2_[\w+/=-]{60,}|\bHRKU-[\w-]{36,}|\bnapi_[A-Za-z0-9]{50,}|\bAVNS_[\w-]{18,}|\bdt0c01\.[A-Z0-9]{20,}\.[A-Z0-9]{60,}|\bops_eyJ[\w-]{100,}|\bpnu_[A-Za-z0-9]{36}|\bisat_[A-Za-z0-9]{40,}`,
	},
	# https://docs.neptune.ai: base64 of the address and the key
	"Neptune API token": {
		"words": `{*eyJhcGlfYWRkcmVzcyI6*}`,
		"pattern": `eyJhcGlfYWRkcmVzcyI6[A-Za-z0-9+/=]{40,}`,
	},
	# https://www.kaggle.com/docs/api
	"Kaggle key": {
		"words": `{*"username*"key*}`,
		"pattern": `"username\\*"\s*:\s*\\*"[^"]*"\s*,\s*\\*"key\\*"\s*:\s*\\*"([0-9a-f]{32})`,
	},
}
