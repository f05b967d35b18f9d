#!/bin/sh
# Makes the secrets of docker-compose.yml that can be made: passwords, the certificate of NATS, sealing keys, the callback secret, an API key.
# What is there already stays. The folder is closed to others; the files are readable, because each container has a user
# of its own.
# usage: deploy/make-secrets.sh [folder]
# With the folder `config` of a stack that `npm start` made, its development certificates and types are copied too, less what
# needs more than docker-compose.yml sets: types of further issuers, and status lists, which containers do not reach at 127.0.0.1.
set -eu
cd "$(dirname "$0")"

umask 022
mkdir -p secrets config/verifier config/issuer
chmod 700 secrets

# What containers mount of this folder, if the umask was strict when the repository was cloned.
for file in nats.conf postgres-init.sh Caddyfile observability/*; do
  if [ -O "$file" ]; then chmod a+r "$file"; fi
done

random_base64url() { head -c "$1" /dev/urandom | base64 | tr '+/' '-_' | tr -d '=\n'; }

# keep <name> <text>
keep() {
  if [ -s "secrets/$1" ]; then return 0; fi
  printf '%s' "$2" >"secrets/$1"
  echo "made secrets/$1"
}

keep postgres_password "$(random_base64url 24)"
keep grafana_password "$(random_base64url 24)"
for service in verifier issuer wallet_store; do
  keep "${service}_database_password" "$(random_base64url 24)"
  keep "${service}_run_database_password" "$(random_base64url 24)"
  password="$(cat "secrets/${service}_database_password")"
  run_password="$(cat "secrets/${service}_run_database_password")"
  # The service works as the first; the second owns the schema. An older file that names the owner in both stays valid.
  keep "${service}_database_url" "postgres://${service}_run:$run_password@postgres:5432/vestibule"
  keep "${service}_migration_database_url" "postgres://$service:$password@postgres:5432/vestibule"
  keep "${service}_sealing_keys" "$(random_base64url 32)"
done
passwords=
for user in gateway verifier issuer wallet_store; do
  keep "${user}_nats_password" "$(random_base64url 24)"
  variable="$(printf %s "$user" | tr '[:lower:]' '[:upper:]')_NATS_PASSWORD"
  passwords="$passwords$variable: \"$(cat "secrets/${user}_nats_password")\"
"
done
# NATS has to hear of a password that was made anew.
if ! printf '%s' "$passwords" | cmp -s - secrets/nats_passwords; then rm -f secrets/nats_passwords; fi
keep nats_passwords "$passwords"
# The certificate of NATS, from an authority whose key nobody keeps: to renew it, remove the three files and start again.
# NATS_NAMES has its host names, separated by commas.
if [ -s secrets/nats_certificate ]; then
  for part in nats_ca nats_key; do
    if [ ! -s "secrets/$part" ]; then
      echo "secrets/$part is missing: remove secrets/nats_certificate as well, then all three are made anew" >&2
      exit 1
    fi
  done
else
  work="$(mktemp -d)"
  trap 'rm -rf "$work"' EXIT
  names="DNS:$(printf %s "${NATS_NAMES:-nats}" | sed 's/,/,DNS:/g')"
  openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 3650 -subj '/CN=Vestibule bus' \
    -addext keyUsage=critical,keyCertSign -keyout "$work/ca-key" -out secrets/nats_ca 2>/dev/null
  openssl req -new -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -subj '/CN=nats' \
    -out "$work/request" -keyout secrets/nats_key 2>/dev/null
  printf 'subjectAltName=%s\nkeyUsage=critical,digitalSignature\nextendedKeyUsage=serverAuth\n' "$names" >"$work/extensions"
  openssl x509 -req -in "$work/request" -CA secrets/nats_ca -CAkey "$work/ca-key" -CAserial "$work/serial" -CAcreateserial \
    -days 3650 -extfile "$work/extensions" -out secrets/nats_certificate 2>/dev/null
  chmod 644 "secrets/nats_key"
  rm -rf "$work"
  echo "made secrets/nats_ca, secrets/nats_certificate, secrets/nats_key"
fi
keep callback_secrets "whsec_$(head -c 32 /dev/urandom | base64 | tr -d '\n')"
keep first_api_key "$(random_base64url 32)"

if [ $# -eq 0 ]; then exit 0; fi
cd - >/dev/null
from="$(cd "$1" && pwd)"
cd "$(dirname "$0")"
cp "$from/verifier-key.pem" secrets/access_key
cp "$from/issuer-key.pem" secrets/issuer_key
cp "$from/verifier.pem" config/verifier/access-certificate.pem
cp "$from/trust.json" "$from/root.pem" config/verifier/
cp "$from/issuer.pem" config/issuer/issuer-certificate.pem
rm -rf config/issuer/types
cp -R "$from/types" config/issuer/types
node - "$from/types/issuance.json" config/issuer/types <<'JS'
const { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } = require('node:fs');
const [from, folder] = process.argv.slice(2);
const { issuers = {}, types = {}, ...settings } = existsSync(from) ? JSON.parse(readFileSync(from, 'utf8')) : {};
const others = Object.values(issuers).flatMap((issuer) => Object.keys(issuer.types ?? {}));
for (const name of others) rmSync(`${folder}/${name}.json`, { force: true });
rmSync(`${folder}/issuance.json`, { force: true });
const names = readdirSync(folder).map((file) => file.replace(/\.json$/, ''));
const unlisted = Object.fromEntries(names.map((name) => [name, { ...types[name], status_list: false }]));
writeFileSync(`${folder}/issuance.json`, `${JSON.stringify({ ...settings, types: unlisted }, null, 2)}\n`);
JS
chmod 644 secrets/access_key secrets/issuer_key config/verifier/* config/issuer/*.pem
chmod 755 config/issuer/types
chmod 644 config/issuer/types/*
echo "copied the development certificates of $from: no real wallet trusts them"
