# METADATA
# description: >-
#   Secrets that are recognised by their own form, whatever stands around them:
#   tokens of services, signed URLs, keys in PEM, headers, and what is base64 of them.
#   A search for words comes before each expression, since that is a hundred times faster.
package tao.lib.secret_format

import data.tao.lib.secret_service
import data.tao.lib.secret_value

# Text without any of these words, which are those of all formats, holds none of
# them, and none that is escaped as in a URL. One literal: to join its parts would take longer than to
# search for them.
any_word := `{*-amz-*,*-Amz-*,*-AMZ-*,*-Goog-*,*-goog-*,*AccessKeyId=*,*GoogleAccessId=*,*KeyName=*,*sig=*,*AccountKey*,*SharedAccessKey*,*accountkey*,*Q~*,*azurewebsites.net*,*PRIVATE KEY*,*AGE-SECRET-KEY-*,*LS0tLS1CRUdJTi*,*b3BlbnNzaC1rZXktdjE*,*Private-Lines:*,*eyJ0eXBl*,*InR5cGUiOi*,*ewogICJ0eXBl*,*eyJ*,*://*@*,*%40*,*jdbc:oracle*,*://*/t/*,*earer *,*EARER *,*uthorization*,*UTHORIZATION*,*eyJhdXRocyI6*,*ImF1dGhzIj*,*"auth*,*AKIA*,*ASIA*,*ABIA*,*ACCA*,*LTAI*,*AKID*,*AKLT*,*GOOG1*,*AQVN*,*YCAJE*,*ghp_*,*gho_*,*ghu_*,*ghs_*,*ghr_*,*github_pat_*,*glpat-*,*gldt-*,*glrt-*,*glrtr-*,*glcbt-*,*glptt-*,*glft-*,*glffct-*,*glimt-*,*glagent-*,*gloas-*,*glsoat-*,*GR1348941*,*hf_*,*api_org_*,*nvapi-*,*_v1_*,*sk-*,*lsv2_*,*gsk_*,*xai-*,*pplx-*,*tvly-*,*r8_*,*e2b_*,*jina_*,*pcsk_*,*rf_*,*sk_*,*fw_*,*rpa_*,*xox*,*xapp-*,*hooks.slack.com/*,*webhooks/*,*webhook.office.com/*,*hooks.zapier.com/*,*chat.googleapis.com/*,*:AA*,*/bot/v2/hook/*,*dingtalk.com/*,*webhook/send?key=*,*AIza*,*GOCSPX-*,*ya29.*,*1//0*,*npm_*,*pypi-*,*dckr_*,*rubygems_*,*AKCp*,*cmVmdGtuOj*,*CLOJARS_*,*_live_*,*_test_*,*SG.*,*whsec_*,*xkeysib-*,*dapi*,*hvs.*,*hvb.*,*hvr.*,*glsa_*,*glc_*,*PMAK-*,*lin_api_*,*ntn_*,*sbp_*,*tskey-*,*pul-*,*atlasv1.*,*figd_*,*shpat_*,*ATATT3*,*ATBB*,*dp.*,*NRAK-*,*sntry*,*sgp_*,*sqp_*,*squ_*,*sqa_*,*CCIPAT_*,*bkua_*,*snyk_uat.*,*pscale_*,*fm2_*,*HRKU-*,*napi_*,*AVNS_*,*dt0c01.*,*ops_eyJ*,*pnu_*,*isat_*,*eyJhcGlfYWRkcmVzcyI6*,*"username*"key*,*%3D*,*%3d*,*%3A*,*%3a*,*%5F*,*%5f*}`

# How passwords and the commonest tokens begin in base64, at any of its three
# offsets where that may be in the middle.
any_encoded := "{*0b2tlb*,*B64*,*BASE64*,*BBU1NXT1JE*,*BSSVZBVEUgS0VZ*,*BUElfS0VZ*,*Bhc3N3b3Jk*,*FQSV9LRV*,*FwaUtle*,*FwaV9rZX*,*ImF1dG*,*JhdXRo*,*LS0tLS1CRU*,*NFQ1JFV*,*NlY3Jld*,*QQVNTV09SR*,*QUdFL*,*QUklWQVRFIEtFW*,*QUl6Y*,*QUtJQ*,*QUtJR*,*QVBJX0tFW*,*QVNJQT*,*QYXNzd29yZ*,*R09DU1BY*,*RGVmYXVsdEVuZHBvaW50c*,*RPS0VO*,*Rva2Vu*,*TFRBS*,*TRUNSRV*,*U0VDUkVU*,*U0cuU*,*UEFTU1dPUk*,*UFJJVkFURSBLRV*,*UGFzc3dvcm*,*UT0tFT*,*VE9LRU*,*YXBpS2V5*,*YXBpX2tle*,*YjNCbGJu*,*Z2h1X*,*Z2hvX*,*Z2hwX*,*Z2hyX*,*Z2hzX*,*Z2l0aHViX3Bhd*,*Z2xwYXQt*,*Z2xzYV*,*Z3NrX*,*ZG9wX3Yx*,*ZGFwa*,*ZGNrcl*,*ZXlKa*,*aGZf*,*aHR0cHM6Ly*,*aHZzL*,*b64*,*base64*,*bnBtX*,*bnZhcGkt*,*c2VjcmV0*,*c2stYW50*,*c2stb*,*c2stcHJva*,*c2tfbGl2Z*,*cGFzc3dvcm*,*cHlwaS*,*cjhf*,*cmtfbGl2Z*,*d2FuZGJfdj*,*dG9rZW*,*eG94Yi*,*eG94cC*,*eGFwcC*,*eWEyOS*,*hcGlLZX*,*hcGlfa2V5*,*iYXV0a*,*wYXNzd29yZ*,*zZWNyZX*}"

# Each as "what it is": where a word of "words" (a glob) occurs, "pattern" decides.
# Groups, if any, hold the secret part; where "mixed" is true, it must also be
# letters of both cases and digits. Those of services have a file of their own.
formats := {
	# https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-query-string-auth.html, Google's and the old form
	"signed URL": {
		"words": `{*-amz-*,*-Amz-*,*-AMZ-*,*-Goog-*,*-goog-*,*AccessKeyId=*,*GoogleAccessId=*,*KeyName=*}`,
		"pattern": `(?i:X-(?:Amz|Goog|Oss)-(?:Signature|Credential|Security-Token)(?:=|%3D|:\s*))([^&\s"'$<{]{6,})|(?:AccessKeyId|GoogleAccessId|KeyName)=[^\s"']*Signature=([^&\s"'$<{]{8,})|Signature=([^&\s"'$<{]{8,})[^\s"']*(?:AccessKeyId|GoogleAccessId)=`,
	},
	# https://learn.microsoft.com/azure/storage/common/storage-sas-overview
	"Azure shared access signature": {
		"words": `{*sig=*}`,
		"pattern": `(?:[?&;"'\s]|\\u0026)(?:amp;)?sig=([A-Za-z0-9%+/=_-]{20,})`,
	},
	"Azure key": {
		"words": `{*AccountKey*,*SharedAccessKey*,*accountkey*,*Q~*,*azurewebsites.net*}`,
		"pattern": `(?i:(?:Account|SharedAccess)Key(?:=|%3D))([A-Za-z0-9+/=]{16,})|azurewebsites\.net/\S*[?&]code=([\w%=-]{40,})|(?:^|[^\w~.-])([\w~.-]{3}[0-9]Q~[\w~.-]{31,34})`,
	},
	# RFC 7468, also on one line, with escaped line ends, or as base64; https://age-encryption.org
	"private key": {
		"words": `{*PRIVATE KEY*,*AGE-SECRET-KEY-*,*LS0tLS1CRUdJTi*,*b3BlbnNzaC1rZXktdjE*,*Private-Lines:*}`,
		"pattern": `-----BEGIN (?:[A-Z0-9]+ ){0,3}PRIVATE KEY(?: BLOCK)?-----(?:\\+[nr]|\s)*([A-Za-z0-9+/=:\\-]{12,})|AGE-SECRET-KEY-(?:PQ-)?1[A-Z0-9]{20,}|b3BlbnNzaC1rZXktdjE[A-Za-z0-9+/=]{20,}|Private-Lines: [0-9]+(?:\s|\\+[nr])+([A-Za-z0-9+/=]{12,})|LS0tLS1CRUdJTi(?:BQUklWQVRF|BSU0EgUFJJVkFUR|BFQyBQUklWQVRF|BPUEVOU1NIIFBSSVZBVE|BEU0EgUFJJVkFUR|BFTkNSWVBURUQgUFJJVkFUR)`,
	},
	# https://cloud.google.com/iam/docs/keys-create-delete, as base64
	"service account key": {
		"words": `{*eyJ0eXBl*,*InR5cGUiOi*,*ewogICJ0eXBl*}`,
		"pattern": `(?:eyJ0eXBlIjogInNlcnZpY2VfYWNjb3Vud|eyJ0eXBlIjoic2VydmljZV9hY2NvdW50|InR5cGUiOiAic2VydmljZV9hY2NvdW50|ewogICJ0eXBlIjogInNlcnZpY2VfYWNjb3Vud)[A-Za-z0-9+/=]{20,}`,
	},
	# RFC 7519 and 7516
	"JSON web token": {
		"words": `{*eyJ*}`,
		"pattern": `\beyJ[\w-]{8,}\.eyJ[\w-]{8,}\.[\w-]{8,}|\beyJ[\w-]{16,}(?:\.[\w-]{12,}){4}`,
	},
	# RFC 3986: what stands before the @ of a URL, and Oracle's own form
	"URL with a password": {
		"words": `{*://*@*,*%40*,*jdbc:oracle*}`,
		"pattern": `[A-Za-z][A-Za-z0-9+.-]*://[^:/@\s"'?#<>]*:([^/@\s"'<>]+)@[\w.\[$-]|(?i:%3A%2F%2F)[^%\s"']*%3[Aa]([^%\s"']+)%40|jdbc:oracle:\w+:\w+/([^@\s"']+)@`,
	},
	# As Git takes it: the token where a user's name would be; Conda has it in the path
	"URL with a token": {
		"words": `{*://*@*,*://*/t/*}`,
		"pattern": `[A-Za-z][A-Za-z0-9+.-]*://(?:([A-Za-z0-9_-]{16,})(?::|:x-oauth-basic)?@[\w.\[]|[\w.:-]+/t/([A-Za-z0-9-]{16,})(?:/|$))`, "mixed": true,
	},
	"URL with an old token": {
		"words": `*://*@*`,
		"pattern": `[A-Za-z][A-Za-z0-9+.-]*://([0-9a-f]{40})(?::|:x-oauth-basic)?@[\w.\[]`,
	},
	# RFC 7235
	"authorization header": {
		"words": `{*earer *,*EARER *,*uthorization*,*UTHORIZATION*}`,
		"pattern": `(?i:\bauthorization\\*["']?\s*[:=,]\s*\\*["']?(?:bearer|basic|token|apikey|splunk|aws)\s+|\bbearer\s+)\\*["']?([A-Za-z0-9._~+/=-]{8,})`,
	},
	# https://kubernetes.io/docs/tasks/configure-pod-container/pull-image-private-registry
	"registry login": {
		"words": `{*eyJhdXRocyI6*,*ImF1dGhzIj*,*"auth*}`,
		"pattern": `"auth\\*"\s*:\s*\\*"([A-Za-z0-9+/]{8,}={0,2})\\*"|eyJhdXRocyI6[A-Za-z0-9+/=]{20,}|ewog[A-Za-z0-9+/]*ImF1dGhzIj[A-Za-z0-9+/=]{20,}`,
	},
}

# What kinds of secret a text holds. A URL or a header says less than what it holds.
found(text) := kinds if {
	kinds := found_in(text) - envelopes
	count(kinds) > 0
} else := found_in(text)

envelopes := {"URL with a password", "URL with a token", "URL with an old token", "authorization header"}

default found_in(_) := set()

found_in(text) := {kind |
	some table in [formats, secret_service.formats]
	some kind, format in table
	glob.match(format.words, null, text)

	# docker://image:tag@sha256:… has no password
	some hit in regex.find_all_string_submatch_n(format.pattern, replace(text, "@sha256:", " "), -1)
	real(format, part(hit))
} if {
	suspicious(text)
}

# The secret part of a match, or all of it.
part(hit) := array.concat([group | some i, group in hit; i > 0; group != ""], [hit[0]])[0]

# It is no placeholder, no reference, and no name that looks like words.
real(format, secret) if {
	not secret_value.placeholder(secret)
	not secret_value.reference(secret)
	looks(format, secret)
}

looks(format, _) if not format.mixed

looks(format, secret) if {
	format.mixed
	secret_value.jumbled(secret)
}

# Whether text may hold one at all.
suspicious(text) if glob.match(any_word, null, text)

# The texts that are base64 in a text, which says so or begins like a secret's or
# is nothing else, and what an escaped URL stands for.
decoded(text) := in_base64(text) | unescaped(text)

default in_base64(_) := set()

in_base64(text) := {plain |
	some code in regex.find_n(`[A-Za-z0-9+/]{24,}={0,2}`, text, -1)
	base64.is_valid(code)
	plain := base64.decode(code)
} if {
	glob.match(any_encoded, null, text)
} else := {base64.decode(code)} if {
	code := one_code(text)
}

# What is base64 as a whole, maybe wrapped.
one_code(text) := code if {
	regex.match(`^[A-Za-z0-9+/]{24,}(?:\s[A-Za-z0-9+/]+)*={0,2}\s*$`, text)
	code := regex.replace(text, `\s+`, "")
	base64.is_valid(code)
}

default unescaped(_) := set()

unescaped(text) := {urlquery.decode(text)} if regex.match(`%(?:3[AaDd]|5[Ff])`, text)
