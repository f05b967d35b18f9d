#!/bin/sh
# Runs once, when Postgres starts on an empty volume: a role and a schema for each service, which no other role may read.
# The passwords come from /run/secrets/<service>_database_password (SECRETS_FOLDER names another folder).
set -eu

SECRETS_FOLDER="${SECRETS_FOLDER:-/run/secrets}"

as_owner() {
  psql --no-psqlrc --quiet --set ON_ERROR_STOP=1 --username "$POSTGRES_USER" --dbname "$POSTGRES_DB" "$@"
}

as_owner <<'SQL'
REVOKE ALL ON SCHEMA public FROM PUBLIC;
SELECT format('REVOKE ALL ON DATABASE %I FROM PUBLIC', current_database()) \gexec
SQL

for service in verifier issuer wallet_store; do
  PASSWORD_FILE="$SECRETS_FOLDER/${service}_database_password"
  test -s "$PASSWORD_FILE" || { echo "the secret ${service}_database_password is missing or empty" >&2; exit 1; }
  export PASSWORD_FILE
  as_owner --set service="$service" <<'SQL'
\set password `cat "$PASSWORD_FILE"`
CREATE ROLE :"service" LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE PASSWORD :'password';
CREATE SCHEMA :"service" AUTHORIZATION :"service";
ALTER ROLE :"service" SET search_path = :"service";
SELECT format('GRANT CONNECT ON DATABASE %I TO %I', current_database(), :'service') \gexec
SQL
done
