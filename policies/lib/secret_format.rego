# METADATA
# description: >-
#   Secrets that are recognised by their own form, whatever stands around them:
#   the prefixes that services give their tokens, signed URLs, keys in PEM.
#   A search for words comes before each expression, since that is a hundred times faster.
package tao.lib.secret_format

import data.tao.lib.secret_value

# Text without any of these words, which are those of all formats in lower case,
# holds none of them. One literal: to join its parts would take longer than to
# search for them.
any_word := "{*akia*,*asia*,*abia*,*acca*,*-amz-*,*-goog-*,*accesskeyid=*,*googleaccessid=*,*keyname=*,*sig=*,*accountkey=*,*sharedaccesskey=*,*q~*,*ghp_*,*gho_*,*ghu_*,*ghs_*,*ghr_*,*github_pat_*,*glpat-*,*gldt-*,*glrt-*,*glcbt-*,*glptt-*,*glft-*,*glimt-*,*glagent-*,*gloas-*,*glsoat-*,*gr1348941*,*hf_*,*api_org_*,*nvapi-*,*sk-*,*lsv2_*,*gsk_*,*xai-*,*pplx-*,*tvly-*,*r8_*,*xox*,*xapp-*,*hooks.slack.com/*,*webhooks/*,*webhook.office.com/*,*hooks.zapier.com/*,*chat.googleapis.com/*,*:aa*,*/bot/v2/hook/*,*dingtalk.com/*,*aiza*,*gocspx-*,*ya29.*,*private key*,*age-secret-key-1*,*ls0tls1crudjti*,*.eyj*,*://*,*earer *,*uthorization*,*npm_*,*pypi-*,*dckr_*,*rubygems_*,*_live_*,*_test_*,*sg.*,*whsec_*,*ltai*,*akid*,*goog1*,*dapi*,*hvs.*,*hvb.*,*_v1_*,*glsa_*,*glc_*,*pmak-*,*lin_api_*,*ntn_*,*sbp_*,*tskey-*,*pul-*,*atlasv1.*,*rf_*,*pcsk_*,*figd_*,*shpat_*,*atatt3*,*atbb*,*dp.*,*eyj0exbl*,*inr5cguioi*,*ewogicj0exbl*,*nrak-*,*eyjhdxrocyi6*,*imf1dghzij*,*username*,*base64*,*b64*,*%3a%2f%2f*,*cgfzc3dvcmq*,*bhc3n3b3jk*,*wyxnzd29yz*,*c2vjcmv0*,*nly3jld*,*zzwnyzx*,*agzf*,*z2hwx*,*z2l0ahvix3bhd*,*z2xwyxqt*,*bnzhcgkt*,*qutjq*,*qvnjq*,*c2stch*,*c2styw*,*eg94y*,*dg9rzw4*}"

# How passwords and the commonest tokens begin in base64, at any of its three
# offsets where that may be in the middle; in lower case.
any_encoded := "{*base64*,*b64*,*cgfzc3dvcmq*,*bhc3n3b3jk*,*wyxnzd29yz*,*c2vjcmv0*,*nly3jld*,*zzwnyzx*,*agzf*,*z2hwx*,*z2l0ahvix3bhd*,*z2xwyxqt*,*bnzhcgkt*,*qutjq*,*qvnjq*,*c2stch*,*c2styw*,*eg94y*,*dg9rzw4*}"

# Each as "what it is": where a word of "words" (a glob) occurs, "pattern" decides.
# Groups, if any, hold the secret part. The prefixes are those that the services
# document; lengths are lower bounds, since services lengthen their tokens.
formats := {
	# https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_identifiers.html
	"AWS access key": {
		"words": `{*AKIA*,*ASIA*,*ABIA*,*ACCA*}`,
		"pattern": `(?:^|[^A-Za-z0-9])((?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16})(?:[^A-Za-z0-9]|$)`,
	},
	# https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-query-string-auth.html, Google's and the old form
	"signed URL": {
		"words": `{*-amz-*,*-Amz-*,*-AMZ-*,*-Goog-*,*-goog-*,*AccessKeyId=*,*GoogleAccessId=*,*KeyName=*}`,
		"pattern": `(?i:X-(?:Amz|Goog|Oss)-(?:Signature|Credential|Security-Token)(?:=|%3D))([^&\s"'$<{]{6,})|(?:AccessKeyId|GoogleAccessId|KeyName)=[^\s"']*Signature=([^&\s"'$<{]{8,})|Signature=([^&\s"'$<{]{8,})[^\s"']*(?:AccessKeyId|GoogleAccessId)=`,
	},
	# https://learn.microsoft.com/azure/storage/common/storage-sas-overview
	"Azure shared access signature": {
		"words": `{*sig=*}`,
		"pattern": `[?&;"'\s](?:amp;)?sig=([A-Za-z0-9%+/=_-]{20,})`,
	},
	"Azure key": {
		"words": `{*AccountKey=*,*SharedAccessKey=*,*accountkey=*,*Q~*}`,
		"pattern": `(?i:(?:Account|SharedAccess)Key=)([A-Za-z0-9+/=]{16,})|(?:^|[^\w~.-])([\w~.-]{3}[0-9]Q~[\w~.-]{31,34})`,
	},
	# https://docs.github.com/authentication/keeping-your-account-and-data-secure/about-authentication-to-github
	"GitHub token": {
		"words": `{*ghp_*,*gho_*,*ghu_*,*ghs_*,*ghr_*,*github_pat_*}`,
		"pattern": `gh[pousr]_[A-Za-z0-9]{20,}|github_pat_[A-Za-z0-9_]{20,}`,
	},
	# https://docs.gitlab.com/security/tokens/#token-prefixes
	"GitLab token": {
		"words": `{*glpat-*,*gldt-*,*glrt-*,*glcbt-*,*glptt-*,*glft-*,*glimt-*,*glagent-*,*gloas-*,*glsoat-*,*GR1348941*}`,
		"pattern": `\bgl(?:pat|dt|rt|cbt|ptt|ft|imt|agent|oas|soat)-[\w.-]{16,}|GR1348941[\w-]{16,}`,
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
		"words": `{*wandb_v1_*}`,
		"pattern": `wandb_v1_\w{16,}`,
	},
	# OpenAI, Anthropic, OpenRouter, Langfuse, LangSmith, Groq, xAI, Perplexity, Tavily, Replicate
	"API key of a model service": {
		"words": `{sk-*,*[!a-z]sk-*,*lsv2_*,*gsk_*,*xai-*,*pplx-*,*tvly-*,*r8_*}`,
		"pattern": `(?:^|[^\w-])(?:sk-(?:(?:proj|ant|svcacct|admin|or|lf|None)-[\w-]{16,}|[A-Za-z0-9]{20,})|lsv2_(?:pt|sk)_\w{20,}|gsk_[A-Za-z0-9]{30,}|xai-[A-Za-z0-9]{30,}|pplx-[A-Za-z0-9]{30,}|tvly-[A-Za-z0-9-]{20,}|r8_[A-Za-z0-9]{30,})`,
	},
	# https://api.slack.com/authentication/token-types
	"Slack token": {
		"words": `{*xox*,*xapp-*}`,
		"pattern": `\bxox[abceoprs](?:\.xox[a-z])?-[A-Za-z0-9-]{10,}|\bxapp-[0-9]-[A-Za-z0-9-]{10,}`,
	},
	# URLs that let anyone write: Slack, Discord, Teams, Zapier, Google Chat, Telegram, Feishu, DingTalk
	"webhook URL": {
		"words": `{*hooks.slack.com/*,*/api/*webhooks/*,*webhook.office.com/*,*hooks.zapier.com/*,*chat.googleapis.com/*,*:AA*,*/bot/v2/hook/*,*dingtalk.com/*}`,
		"pattern": `hooks\.slack\.com/(?:services|workflows|triggers)/([\w/-]{16,})|discord(?:app)?\.com/api/(?:v[0-9]+/)?webhooks/([0-9]+/[\w-]{16,})|webhook\.office\.com/webhookb?2?/(\S{20,})|hooks\.zapier\.com/hooks/catch/([0-9]+/[a-z0-9]+)|chat\.googleapis\.com/v1/spaces/\S+[?&]token=([\w%-]{10,})|\b(?:bot)?([0-9]{8,10}:AA[\w-]{30,})|/bot/v2/hook/([\w-]{20,})|dingtalk\.com/robot/send\?access_token=(\w{20,})`,
	},
	# https://cloud.google.com/docs/authentication/api-keys, OAuth clients and access tokens
	"Google key": {
		"words": `{*AIza*,*GOCSPX-*,*ya29.*}`,
		"pattern": `AIza[\w-]{30,}|GOCSPX-[\w-]{16,}|ya29\.[\w-]{20,}`,
	},
	# RFC 7468, also on one line, with escaped line ends, or as base64; https://age-encryption.org
	"private key": {
		"words": `{*PRIVATE KEY*,*AGE-SECRET-KEY-1*,*LS0tLS1CRUdJTi*}`,
		"pattern": `-----BEGIN (?:[A-Z0-9]+ ){0,3}PRIVATE KEY(?: BLOCK)?-----(?:\\+[nr]|\s)*([A-Za-z0-9+/=:\\-]{12,})|AGE-SECRET-KEY-1[A-Z0-9]{20,}|LS0tLS1CRUdJTi(?:BQUklWQVRF|BSU0EgUFJJVkFUR|BFQyBQUklWQVRF|BPUEVOU1NIIFBSSVZBVE|BEU0EgUFJJVkFUR|BFTkNSWVBURUQgUFJJVkFUR)`,
	},
	# https://cloud.google.com/iam/docs/keys-create-delete, as base64
	"service account key": {
		"words": `{*eyJ0eXBl*,*InR5cGUiOi*,*ewogICJ0eXBl*}`,
		"pattern": `(?:eyJ0eXBlIjogInNlcnZpY2VfYWNjb3Vud|eyJ0eXBlIjoic2VydmljZV9hY2NvdW50|InR5cGUiOiAic2VydmljZV9hY2NvdW50|ewogICJ0eXBlIjogInNlcnZpY2VfYWNjb3Vud)[A-Za-z0-9+/=]{20,}`,
	},
	# https://www.kaggle.com/docs/api
	"Kaggle key": {
		"words": `{*"username*"key*}`,
		"pattern": `"username\\*"\s*:\s*\\*"[^"]*"\s*,\s*\\*"key\\*"\s*:\s*\\*"([0-9a-f]{32})`,
	},
	# RFC 7519
	"JSON web token": {
		"words": `{*eyJ*.eyJ*}`,
		"pattern": `\beyJ[\w-]{8,}\.eyJ[\w-]{8,}\.[\w-]{8,}`,
	},
	# RFC 3986: what stands before the @ of a URL
	"URL with a password": {
		"words": `{*://*@*,*%3?%2?%2?*%40*}`,
		"pattern": `[A-Za-z][A-Za-z0-9+.-]*://[^:/@\s"'?#<>]*:([^/@\s"'<>]+)@[\w.\[$-]|(?i:%3A%2F%2F)[^%\s"']*%3[Aa]([^%\s"']+)%40`,
	},
	# As Git takes it: the token where a user's name would be
	"URL with a token": {
		"words": `{*://*@*}`,
		"pattern": `[A-Za-z][A-Za-z0-9+.-]*://([A-Za-z0-9_-]{16,})@[\w.\[]`,
	},
	# RFC 7235
	"authorization header": {
		"words": `{*earer *,*EARER *,*uthorization*,*UTHORIZATION*}`,
		"pattern": `(?i:\bauthorization\\*["']?\s*[:=,]\s*\\*["']?(?:bearer|basic|token|apikey)\s+|\bbearer\s+)\\*["']?([A-Za-z0-9._~+/=-]{8,})`,
	},
	"package registry token": {
		"words": `{*npm_*,*pypi-*,*dckr_*,*rubygems_*}`,
		"pattern": `\bnpm_[A-Za-z0-9]{30,}|pypi-[\w-]{30,}|dckr_(?:pat|oat)_[\w-]{16,}|rubygems_[a-f0-9]{32,}`,
	},
	# https://docs.stripe.com/keys, https://www.twilio.com/docs/sendgrid
	"payment or mail service key": {
		"words": `{*_live_*,*_test_*,*SG.*,*whsec_*}`,
		"pattern": `\b[rs]k_(?:live|test)_[A-Za-z0-9]{16,}|\bSG\.[\w-]{16,}\.[\w-]{16,}|\bwhsec_[A-Za-z0-9+/]{16,}`,
	},
	# Alibaba, Tencent and Google (HMAC)
	"cloud access key": {
		"words": `{*LTAI*,*AKID*,*GOOG1*}`,
		"pattern": `\b(?:LTAI[A-Za-z0-9]{12,}|AKID[A-Za-z0-9]{20,}|GOOG1[A-Z0-9]{20,})`,
	},
	# Databricks, Vault, DigitalOcean, Grafana, Postman, Linear, Notion, Supabase, Roboflow, Pinecone, Figma, Shopify, Atlassian, Doppler, Pulumi, Tailscale, Terraform
	"service token": {
		"words": `{*dapi*,*hvs.*,*hvb.*,*do?_v1_*,*glsa_*,*glc_*,*PMAK-*,*lin_api_*,*ntn_*,*sbp_*,*tskey-*,*pul-*,*atlasv1.*,*rf_*,*pcsk_*,*figd_*,*shpat_*,*ATATT3*,*ATBB*,*dp.??.*,*NRAK-*}`,
		"pattern": `\bdapi[a-f0-9]{32}|\bhv[sbr]\.[\w-]{16,}|\bdo[opr]_v1_[a-f0-9]{32,}|\bglsa_\w{32,}|\bglc_[A-Za-z0-9+/=]{32,}|\bPMAK-[a-f0-9]{24}-[a-f0-9]{34}|\blin_api_\w{20,}|\bntn_\w{40,}|\bsbp_[a-f0-9]{32,}|\btskey-[a-z]+-[A-Za-z0-9-]{16,}|\bpul-[a-f0-9]{40}|\w{14}\.atlasv1\.[\w-]{40,}|\brf_[A-Za-z0-9]{20,}|\bpcsk_\w{20,}|\bfigd_[\w-]{20,}|\bshpat_[a-f0-9]{32}|\bATATT3[\w=-]{20,}|\bATBB\w{24,}|\bdp\.(?:pt|st|ct|sa)\.[\w.-]{20,}|\bNRAK-[A-Z0-9]{20,}`,
	},
	# https://kubernetes.io/docs/tasks/configure-pod-container/pull-image-private-registry
	"registry login": {
		"words": `{*eyJhdXRocyI6*,*ewog*ImF1dGhzIj*}`,
		"pattern": `eyJhdXRocyI6[A-Za-z0-9+/=]{20,}|ewog[A-Za-z0-9+/]*ImF1dGhzIj[A-Za-z0-9+/=]{20,}`,
	},
}

# What kinds of secret a text holds, also in what is base64 in it. A URL or a
# header says less than what it holds.
found(text) := kinds if {
	kinds := found_in(text) - {"URL with a password", "URL with a token", "authorization header"}
	count(kinds) > 0
} else := found_in(text) | encoded(text)

default found_in(_) := set()

found_in(text) := {kind |
	some kind, format in formats
	glob.match(format.words, null, text)

	# docker://image:tag@sha256:… has no password
	some hit in regex.find_all_string_submatch_n(format.pattern, replace(text, "@sha256:", " "), -1)
	real(hit)
	fits(kind, hit)
} if {
	suspicious(text)
}

# The name of a user looks like words.
fits(kind, hit) if {
	kind == "URL with a token"
	secret_value.jumbled(hit[1])
}

fits(kind, _) if kind != "URL with a token"

encoded(text) := {kind |
	some plain in decoded(text)
	some kind in found_in(plain)
}

# The texts that are base64 in a text, which says so or begins like a secret's.
default decoded(_) := set()

decoded(text) := {plain |
	some code in regex.find_n(`[A-Za-z0-9+/]{24,}={0,2}`, text, -1)
	base64.is_valid(code)
	plain := base64.decode(code)
} if {
	glob.match(any_encoded, null, lower(text))
}

# Whether text may hold one at all.
suspicious(text) if glob.match(any_word, null, lower(text))

# The secret part of a match, or all of it, is no placeholder and no reference.
real(hit) if {
	parts := [part | some i, part in hit; i > 0; part != ""]
	secret := array.concat(parts, [hit[0]])[0]
	not secret_value.placeholder(secret)
	not secret_value.reference(secret)
}
