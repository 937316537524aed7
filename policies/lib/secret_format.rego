# METADATA
# description: >-
#   Credentials that show by their own form what they are, wherever they stand.
package tao.lib.secret_format

import data.tao.lib.secret_value

# The kinds of credentials in a text. What is only the shape of one, such as
# hf_xxxx or the example keys of manuals, is none.
found(text) := {kind |
	some kind, pattern in patterns
	some match in regex.find_n(pattern, text, 20)
	not secret_value.placeholder(match)
} | {"password in a URL" | some password in passwords(text)}

passwords(text) := {password |
	some match in regex.find_all_string_submatch_n(`[A-Za-z][\w+.-]*://[^\s/:@"'<>]*:([^\s/@"'<>]+)@`, text, 20)
	password := match[1]
	secret_value.literal(password)
	not startswith(password, "$")
}

# Text without any of these words, in lower case, has none of the formats.
words := concat("", [
	`*akia*,*asia*,*abia*,*acca*,*ghp_*,*gho_*,*ghu_*,*ghs_*,*ghr_*,*_pat*,*glpat-*,*glptt-*,*gldt-*,*glrt-*,*glcbt-*,*hf_*`,
	`,*api_org*,*nvapi-*,*wandb*,*sk-*,*gsk_*,*pplx-*,*xai-*,*lsv2_*,*r8_*,*rpa_*,*apify_*,*pcsk_*,*xox*,*xapp-*,*hook*,*gocspx*`,
	`,*aiza*,*ya29.*,*goog1*,*1//0*,*sig=*,*q~*,*signature*,*x-amz-*,*x-goog-*,*eyj*,*private*,*ls0tls1c*,*age-s*,*ewog*,*dckr_*`,
	`,*hv?.*,*npm_*,*pypi-*,*dapi*,*sg.*,*_live_*,*_test_*,*whsec_*,*_v1_*,*gls?_*,*glc_*,*atatt*,*atctt*,*atbb*`,
	`,*lin_a*,*sntry*,*shp??_*,*key-*,*figd_*,*tskey*,*pul-*,*pmak-*,*nrak-*,*rubygems*,*ltai*,*akid*,*eaac*,*sq0*`,
	`,*ops_ey*,*dp.?t.*,*comet_*,*sbp_*,*vercel*,*:aa*,*hc-ping*,*pagerduty*,*://*@*`,
])

# One pattern for each kind, because each costs a pass over the text.
patterns := {
	"AWS access key": `\b(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{12,}\b`,
	"GitHub token": `\bgh[opsur]_[A-Za-z0-9]{20,}|\bgithub_pat_\w{20,}`,
	"GitLab token": `\bgl(?:pat|ptt|dt|rt|soat|cbt|agent|oas|ft|imt)-[\w.-]{16,}`,
	"Hugging Face token": `(?:\b|_)(?:hf|api_org)_(?:[A-Za-z0-9]{30,}|[A-Za-z]*[0-9][A-Za-z0-9]*[A-Z][A-Za-z0-9]{10,})`,
	"NVIDIA API key": `\bnvapi-[\w-]*[A-Z0-9][\w-]{11,}`,
	"W&B API key": concat("", [
		`\bwandb_v1_\w{16,}`,
		`|(?i:wandb(?:\.login\b|[_. -]?(?:api)?[_. -]?key\b|\s+login\b)[^\n]{0,40}?\b(?:local-)?[0-9a-f]{40}\b)`,
	]),
	"API key of a model service": concat("", [
		`\bsk-(?:(?:proj|ant|svcacct|admin|or-v1|lf|None)-[\w-]{16,}|[A-Za-z0-9]{20,}|[A-Za-z0-9_-]*[0-9][A-Z][\w-]{16,})`,
		`|\bgsk_[A-Za-z0-9]{30,}|\bpplx-[A-Za-z0-9]{30,}|\bxai-[A-Za-z0-9]{30,}|\blsv2_(?:pt|sk)_\w{20,}|\br8_[A-Za-z0-9]{30,}`,
		`|\brpa_[A-Z0-9]{30,}|\bAPIFY_API_\w{20,}|\bpcsk_\w{20,}`,
	]),
	"Slack token or webhook": concat("", [
		`\bxox[abceoprs](?:\.xox[bp])?-[\w-]{10,}|\bxapp-[0-9]-[\w-]{10,}`,
		`|hooks\.slack\.com/(?:services|workflows|triggers)/[\w/-]{16,}`,
	]),
	"webhook URL": concat("", [
		`discord(?:app)?\.com/api/(?:v[0-9]+/)?webhooks/[0-9]+/[\w-]{20,}|office\.com/webhook[\w@/.-]{24,}`,
		`|chat\.googleapis\.com/v1/spaces/\S*[?&](?:key|token)=[\w-]{16,}|hooks\.zapier\.com/hooks/catch/\w+/\w+`,
		`|open\.(?:feishu\.cn|larksuite\.com)/open-apis/bot/v2/hook/[\w-]{20,}|events\.pagerduty\.com/integration/\w{20,}`,
		`|(?:weixin\.qq\.com/cgi-bin/webhook|dingtalk\.com/robot)/send\?(?:key|access_token)=[\w-]{20,}`,
		`|\b(?:bot)?[0-9]{8,10}:AA[\w-]{30,}|hc-ping\.com/[0-9a-f-]{36}`,
	]),
	"Google key": `\bAIza[\w-]{30,}|\bGOCSPX-[\w-]{16,}|\bya29\.[\w-]{20,}|\bGOOG1?[A-Z0-9]{20,}|\b1//0[\w-]{30,}`,
	"Azure key": concat("", [
		`(?i:(?:Account|SharedAccess)Key)=[A-Za-z0-9+/=]{20,}|[?&;]sig=[A-Za-z0-9%+/=_-]{20,}`,
		`|(?:^|[^\w~.-])[\w~.-]{3}[0-9]Q~[\w~.-]{31,34}`,
	]),
	"presigned URL": concat("", [
		`(?i)X-(?:Amz|Goog|Oss)-(?:Signature|Credential|Security-Token)=[\w%/+.@-]{6,}`,
		`|[?&]Signature=[\w%+/=~-]{16,}|[?&](?:q-signature|KeyName)=[\w%+/=-]{16,}`,
	]),
	"JSON Web Token": `\beyJ[\w-]{8,}\.eyJ[\w-]{8,}\.[\w-]+`,
	"private key": concat("", [
		`-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----(?:\s|\\n|\\r)*[A-Za-z0-9+/=]{8,}`,
		`|-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----(?:\s|\\n|\\r)*(?:Proc-Type|DEK-Info|Version|Comment)`,
		`|LS0tLS1CRUdJTi(?:BQUklWQVRF|BSU0EgUFJJVkFUR|BFQyBQUklWQVRF|BPUEVOU1NIIFBSSVZBVE|BEU0EgUFJJVkFUR|BFTkNSWVBURUQgUFJJVkFUR)`,
		`|\bAGE-SECRET-KEY-1[A-Z0-9]{20,}|PuTTY-User-Key-File-[0-9]:`,
	]),
	"service account key": concat("", [
		`eyJ0eXBlIjogInNlcnZpY2VfYWNjb3Vud|eyJ0eXBlIjoic2VydmljZV9hY2NvdW50|ewogICJ0eXBlIjogInNlcnZpY2VfYWNjb3Vud`,
		`|ewogICAgInR5cGUiOiAic2VydmljZV9hY2NvdW50`,
	]),
	"registry login": `\beyJhdXRocyI6[A-Za-z0-9+/=]{20,}|\bewog(?:IC|ICAg|CSA)+ImF1dGhzIj[A-Za-z0-9+/=]{20,}|\bdckr_(?:pat|oat)_[\w-]{16,}`,
	"service's token": concat("", [
		`\bhv[sbr]\.[\w-]{16,}|\bnpm_[A-Za-z0-9]{30,}|\bpypi-[\w-]{30,}|\bdapi[0-9a-f]{32}|\bSG\.[\w-]{16,}\.[\w-]{16,}`,
		`|\b[sr]k_(?:live|test)_\w{16,}|\bwhsec_\w{16,}|\bSK[0-9a-f]{32}\b|\bdo[opr]_v1_[0-9a-f]{32,}|\bgls[ab]_\w{20,}|\bglc_\w{20,}`,
		`|\bATATT3\S{20,}|\bATCTT3\S{20,}|\bATBB\w{24,}|\blin_api_\w{20,}|\bsntry[su]_[\w=+/-]{20,}|\bshp(?:at|ca|pa|ss)_\w{20,}`,
		`|\bkey-[0-9a-f]{32}\b|\bfigd_[\w-]{20,}|\btskey-[\w-]{20,}|\bpul-[0-9a-f]{40}|\bPMAK-[\w-]{20,}|\bNRAK-[A-Z0-9]{20,}`,
		`|\brubygems_[0-9a-f]{32,}|\bLTAI[A-Za-z0-9]{12,}|\bAKID[A-Za-z0-9]{20,}|\bEAAC\w{20,}|\bsq0[a-z]{3}-[\w-]{20,}`,
		`|\bops_eyJ\w{20,}|\bdp\.(?:pt|st|ct|sa)\.[\w.-]{20,}|\bcomet_\w{20,}|\bAQAAAA[\w-]{20,}|\bsbp_[0-9a-f]{32,}|\bvercel_\w{20,}`,
	]),
}
