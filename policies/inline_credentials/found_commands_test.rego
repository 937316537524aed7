package tao.rules.inline_credentials_found_commands_test

import data.tao.lib.fixture
import data.tao.rules.inline_credentials as rule

scripts := {
	"in Python": [
		`python -c 'import wandb; wandb.login(key="3f9a1c7e5b2d8046f1e3a5c7092b4d6e8f0a1c3e")'`,
		"python - <<'EOF'\nimport os\nos.environ[\"WANDB_API_KEY\"] = \"3f9a1c7e5b2d8046f1e3a5c7092b4d6e8f0a1c3e\"\nEOF",
		"python - <<EOF\nfrom huggingface_hub import login\nlogin(token='q7Wz2Kp9Lx4Vb8Nm3Jt6Yc5Rd1Hg0SfAe')\nEOF",
		`python -c "login('hf_SyntheticHoldOutTokenForTestsOnlyAbCd')"`,
		"os.environ.setdefault('API_KEY', 'q7Wz2Kp9Lx4Vb8Nm3Jt6')",
		`os.putenv("HF_TOKEN", "q7Wz2Kp9Lx4Vb8Nm3Jt6Yc5Rd1Hg0SfAe")`,
	],
	"given to an HTTP client": [
		"curl -H 'Authorization: Bearer q7Wz2Kp9Lx4Vb8Nm3Jt6' https://api.lab/x",
		`curl -H "X-Api-Key: q7Wz2Kp9Lx4Vb8Nm3Jt6" https://api.lab/x`,
		`curl -H "PRIVATE-TOKEN: q7Wz2Kp9Lx4Vb8Nm3Jt6" https://gitlab.lab/api`,
		"curl -u trainer:hunter2 https://files.lab/x",
		"curl --user 'trainer:hunter2' -O https://files.lab/x",
		"wget --password=hunter2 --user=x https://a/b",
		"wget --http-password hunter2 https://a/b",
		`curl -d '{"api_key": "q7Wz2Kp9Lx4Vb8Nm3Jt6"}' https://x`,
		`curl -d "{\"password\": \"hunter2\"}" https://x`,
		"curl 'https://x.lab/api?api_key=q7Wz2Kp9Lx4Vb8Nm3Jt6&q=1'",
		`curl "https://x.lab/api?access_token=q7Wz2Kp9Lx4Vb8Nm3Jt6"`,
	],
	"written to a file": [
		"cat > ~/.aws/credentials <<EOF\n[default]\naws_access_key_id = AKIA2SYNTHETIC7TESTS\naws_secret_access_key = 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\nEOF",
		"cat > /tmp/c.yaml <<EOF\nwandb:\n  api_key: 3f9a1c7e5b2d8046f1e3a5c7092b4d6e8f0a1c3e\nEOF",
		"cat > c.yaml <<EOF\ndb:\n  user: x\n  password: hunter2\nEOF",
		"echo 'machine api.ngc.nvidia.com login $oauthtoken password q7Wz2Kp9Lx4Vb8Nm3Jt6Yc5Rd1Hg0SfAe' > ~/.netrc",
		`{"env": [{"name": "NGC_KEY", "value": "nvapi-SUPERSECRET123"}]}`,
		"- {name: NGC_KEY, value: nvapi-SUPERSECRET123}",
		"- {value: nvapi-SUPERSECRET123, name: NGC_KEY}",
		"env:\n- name: NGC_KEY\n  value: |\n    nvapi-SUPERSECRET123\n- name: N\n  value: keep",
	],
	"assigned in a shell": [
		"export WANDB_API_KEY=3f9a1c7e5b2d8046f1e3a5c7092b4d6e8f0a1c3e",
		"export HF_TOKEN='q7Wz2Kp9Lx4Vb8Nm3Jt6Yc5Rd1Hg0SfAe'",
		`export SECRET_KEY="q7Wz2Kp9Lx4Vb8Nm3Jt6"; run`,
		"NGC_KEY=nvapi-SUPERSECRET123 docker run nvcr.io/img",
		"sbatch --export=ALL,NGC_API_KEY=nvapi-nvapi-SUPERSECRET123 train.sh",
		"NGC_API_KEY=nvapi-\\\nnvapi-SUPERSECRET123 img",
		"set -a; DB_PASSWORD=hunter2; set +a",
		"env API_KEY=q7Wz2Kp9Lx4Vb8Nm3Jt6 python t.py",
		"setenv HF_TOKEN q7Wz2Kp9Lx4Vb8Nm3Jt6Yc5Rd1Hg0SfAe",
		"export A=${HF_TOKEN:-q7Wz2Kp9Lx4Vb8Nm3Jt6Yc5Rd1Hg0SfAe}",
		": ${WANDB_API_KEY:=3f9a1c7e5b2d8046f1e3a5c7092b4d6e8f0a1c3e}",
		"export NGC_API_KEY=${KEY:-q7Wz2Kp9Lx4Vb8Nm3Jt6Yc5Rd1Hg0SfAe}",
		"# old token hf_SyntheticHoldOutTokenForTestsOnlyAbCd\ntrain",
		"printf '%s' 'q7Wz2Kp9Lx4Vb8Nm3Jt6Yc5Rd1Hg0SfAe' > /tmp/t; export TOKEN='q7Wz2Kp9Lx4Vb8Nm3Jt6Yc5Rd1Hg0SfAe'",
		`export GOOGLE_CREDS='{"private_key": "-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgSYNTHETIC\n-----END PRIVATE KEY-----"}'`,
		"export RCLONE_CONFIG_R_SECRET_ACCESS_KEY=q7Wz2Kp9Lx4Vb8Nm3Jt6",
	],
	"given to a command": [
		"docker run -e HF_TOKEN=hf_nvapi-SUPERSECRET123 img",
		"docker run -e MYSQL_PASSWORD='$nvapi-SUPERSECRET123' img",
		"docker login nvcr.io -u '$oauthtoken' -p nvapi-SUPERSECRET123",
		"docker login nvcr.io -u nvidia -pnvapi-SUPERSECRET123",
		"docker login --password nvapi-SUPERSECRET123",
		"docker login -u bot -p hunter2 registry.lab",
		"hf auth login --token=hf_nvapi-SUPERSECRET123",
		"huggingface-cli login --token q7Wz2Kp9Lx4Vb8Nm3Jt6Yc5Rd1Hg0SfAe --add-to-git-credential",
		`docker run -e NGC_API_KEY=nvapi-"nvapi-SUPERSECRET123" img`,
		"train --wandb-key \\\n  3f9a1c7e5b2d8046f1e3a5c7092b4d6e8f0a1c3e --x 1",
		"wandb login 3f9a1c7e5b2d8046f1e3a5c7092b4d6e8f0a1c3e",
		"wandb login --relogin 3f9a1c7e5b2d8046f1e3a5c7092b4d6e8f0a1c3e",
		"git clone https://x-access-token:ghp_SyntheticTokenForTests0123456789abcd@github.com/a/b.git",
		"git clone https://bot:hunter2@git.lab/a/b.git",
		"git clone https://ghp_SyntheticTokenForTests0123456789abcd@github.com/a/b.git",
		`git config --global http.extraheader "AUTHORIZATION: basic c3ludGhldGljOnN5bnRoZXRpYzEyMw=="`,
		"aws configure set aws_secret_access_key Qm7/Zt9Kx2+Vw4Lp8Nc3Rb6Yh1Jd5Gs0Fa7TeUi2",
		"dvc remote modify --local origin password hunter2",
		"mc alias set lab https://minio.lab minioadmin Quartz7Plum",
		"sshpass -p hunter2 ssh a@b",
		"mysql -u root -phunter2 db",
		"redis-cli -h r -a hunter2 ping",
		"mongosh -u a -p hunter2 db",
		"echo hunter2 | docker login -u x --password-stdin r.lab",
		`echo "q7Wz2Kp9Lx4Vb8Nm3Jt6" | gh auth login --with-token`,
		"docker login -u x --password-stdin <<< hunter2",
		"skopeo copy --src-creds bot:hunter2 docker://a docker://b",
		"smbclient //s/d -U train%hunter2",
		"unzip -P hunter2 d.zip",
		"openssl enc -d -aes256 -pass pass:hunter2 -in x",
		"helm registry login r.lab -u bot -p hunter2",
		"az login --service-principal -u app -p q7Wz2Kp9Lx4Vb8Nm3Jt6 --tenant t",
		"az storage blob download --account-key q7Wz2Kp9Lx4Vb8Nm3Jt6Yc5Rd1Hg0SfAe==",
		"azcopy cp 'https://a.blob.core.windows.net/c?sv=2022&sig=Synthetic%2Bsignature0123456789%3D' /d",
		"kubectl create secret generic x --from-literal=token=q7Wz2Kp9Lx4Vb8Nm3Jt6",
		"dino train -e /s.yaml wandb.api_key=3f9a1c7e5b2d8046f1e3a5c7092b4d6e8f0a1c3e",
		"dino train encryption_key=q7Wz2Kp9Lx4Vb8Nm3Jt6",
		"mount -t cifs //s/d /m -o username=x,password=hunter2",
		"psql 'host=db user=x password=hunter2'",
		"echo LS0tLS1CRUdJTiBSU0EgUFJJVkFURSBLRVktLS0tLQpNSUlFb3dJQkFBS0NBUUVB | base64 -d > ~/.ssh/id_rsa",
		"echo aGZfU3ludGhldGljSG9sZE91dFRva2VuRm9yVGVzdHNPbmx5QWJDZA== | base64 -d > /t",
		"rclone config create r s3 access_key_id=minio7lab secret_access_key=Quartz7Plum99",
		"s3cmd --access_key=AKIA2SYNTHETIC7TESTS --secret_key=q7Wz2Kp9Lx4Vb8Nm3Jt6Yc5Rd1Hg0SfAe ls",
		"ngc config set --api-key q7Wz2Kp9Lx4Vb8Nm3Jt6Yc5Rd1Hg0SfAe",
	],
	"given to a command by a flag of its own, or by standard input": [
		"curl -sSu bot:hunter2 https://x",
		"etcdctl --user root:hunter2 get x",
		"mosquitto_pub -u a -P hunter2 -t x -m y",
		"ncftpget -u a -p hunter2 ftp.lab /d /f",
		"valkey-cli -a hunter2 ping",
		"mc admin user add lab trainer Quartz7Plum",
		"mysqladmin -u root password hunter2",
		"mlflow server --app-name basic-auth --password hunter2",
		"tailscale up --authkey q7Wz2Kp9Lx4Vb8Nm3Jt6Yc5Rd1Hg0SfAe",
		"ngrok config add-authtoken q7Wz2Kp9Lx4Vb8Nm3Jt6Yc5Rd1Hg0SfAe",
		"echo -e 'q7Wz2Kp9Lx4Vb8Nm3Jt6Yc5Rd1Hg0SfAe\\nascii\\nlab' | ngc config set",
		"printf '%s\\n' q7Wz2Kp9Lx4Vb8Nm3Jt6Yc5Rd1Hg0SfAe json lab no-team no-ace | ngc config set",
		"ngc config set <<< q7Wz2Kp9Lx4Vb8Nm3Jt6Yc5Rd1Hg0SfAe",
		"echo q7Wz2Kp9Lx4Vb8Nm3Jt6 | wandb login",
		"echo hunter2 | sshpass ssh a",
		"sudo -S apt-get update <<< hunter2",
		"wandb login --host=https://w.lab 3f9a1c7e5b2d8046f1e3a5c7092b4d6e8f0a1c3e",
		"pip install --extra-index-url https://bot:hunter2@pypi.lab/simple x",
		"npm config set //registry.lab/:_authToken q7Wz2Kp9Lx4Vb8Nm3Jt6",
		"oc login --token=sha256~q7Wz2Kp9Lx4Vb8Nm3Jt6Yc5Rd1Hg0SfAe",
		"kubectl config set-credentials u --token=q7Wz2Kp9Lx4Vb8Nm3Jt6Yc5Rd1Hg0SfAe",
		"kubectl create secret docker-registry r --docker-username=x --docker-password=hunter2",
		"enroot import 'docker://$oauthtoken:hunter2@nvcr.io#nvidia/tao'",
		"clearml-agent --secret-key q7Wz2Kp9Lx4Vb8Nm3Jt6Yc5Rd1Hg0SfAe",
		"comet login --api-key q7Wz2Kp9Lx4Vb8Nm3Jt6Yc5Rd1Hg0SfAe",
	],
}

test_found_scripts[what] if {
	some what, cases in scripts
	found := rule.violation with input as fixture.scripts(cases)

	# regal ignore:use-object-keys
	fixture.hits(found) == {i | some i, _ in cases}
	fixture.hidden(found)
}

arguments := {
	"among arguments": [
		["--token", "q7Wz2Kp9Lx4Vb8Nm3Jt6Yc5Rd1Hg0SfAe"],
		["--api-key=q7Wz2Kp9Lx4Vb8Nm3Jt6"],
		["--password", "s3cr3t"],
		["wandb", "login", "3f9a1c7e5b2d8046f1e3a5c7092b4d6e8f0a1c3e"],
		["docker", "login", "-u", "x", "-p", "hunter2"],
		["curl", "-u", "a:hunter2", "https://x"],
		["curl", "-H", "Authorization: Bearer q7Wz2Kp9Lx4Vb8Nm3Jt6"],
		["curl", "-H", "X-Auth-Token: q7Wz2Kp9Lx4Vb8Nm3Jt6"],
		["env", "HF_TOKEN=q7Wz2Kp9Lx4Vb8Nm3Jt6Yc5Rd1Hg0SfAe", "train"],
		["-e", "WANDB_API_KEY=3f9a1c7e5b2d8046f1e3a5c7092b4d6e8f0a1c3e"],
		["dino", "train", "wandb.api_key=3f9a1c7e5b2d8046f1e3a5c7092b4d6e8f0a1c3e"],
		["--secret-key", "q7Wz2Kp9Lx4Vb8Nm3Jt6"],
		["--wandb_api_key", "3f9a1c7e5b2d8046f1e3a5c7092b4d6e8f0a1c3e"],
		["--hf-token=q7Wz2Kp9Lx4Vb8Nm3Jt6Yc5Rd1Hg0SfAe"],
		["--db-password", "my pass phrase"],
		["sshpass", "-p", "hunter2", "ssh", "h"],
		["--secret_access_key", "q7Wz2Kp9Lx4Vb8Nm3Jt6Yc5Rd1Hg0SfAe"],
		["--set", "wandb.apiKey=3f9a1c7e5b2d8046f1e3a5c7092b4d6e8f0a1c3e"],
		["--auth", "trainer:hunter2"],
		["-Dapi.token=q7Wz2Kp9Lx4Vb8Nm3Jt6"],
		["--notebook.token=lab2026x"],
		["--ServerApp.password", "hunter2"],
		["--connection", "postgres://a:hunter2@db/x"],
	],
}

test_found_arguments[what] if {
	some what, cases in arguments
	found := rule.violation with input as fixture.arguments(cases)

	# regal ignore:use-object-keys
	fixture.hits(found) == {i | some i, _ in cases}
	fixture.hidden(found)
}

annotations := {
	"in an annotation": [
		["lab/config", `{"api_key":"q7Wz2Kp9Lx4Vb8Nm3Jt6"}`],
		["lab/token", "q7Wz2Kp9Lx4Vb8Nm3Jt6"],
		["lab/webhook", "https://hooks.slack.com/services/T0SYNTHET/B0SYNTHET/SyntheticTokenForTests01"],
		["lab/db-password", "hunter2"],
		["note", "use hf_SyntheticHoldOutTokenForTestsOnlyAbCd here"],
		["lab/env", "HF_TOKEN=q7Wz2Kp9Lx4Vb8Nm3Jt6Yc5Rd1Hg0SfAe"],
		["lab/yaml", "auth:\n  token: q7Wz2Kp9Lx4Vb8Nm3Jt6\n"],
		["vault/x", "url: https://a:hunter2@b/c"],
	],
}

test_found_annotations if {
	every c in annotations["in an annotation"] {
		count(rule.violation) > 0 with input as fixture.annotation(c[0], c[1])
	}
}
