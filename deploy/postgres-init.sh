#!/bin/sh
# Runs once, when Postgres starts on an empty volume. For each service: a role that owns its schema and migrates it, and the
# role <service>_run, which the service works as: it reads and writes rows. No other role may read the schema.
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
  RUN_PASSWORD_FILE="$SECRETS_FOLDER/${service}_run_database_password"
  for file in "$PASSWORD_FILE" "$RUN_PASSWORD_FILE"; do
    test -s "$file" || { echo "the secret ${file##*/} is missing or empty" >&2; exit 1; }
  done
  export PASSWORD_FILE RUN_PASSWORD_FILE
  as_owner --set service="$service" --set run="${service}_run" <<'SQL'
\set password `cat "$PASSWORD_FILE"`
\set run_password `cat "$RUN_PASSWORD_FILE"`
CREATE ROLE :"service" LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE PASSWORD :'password';
CREATE ROLE :"run" LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOBYPASSRLS PASSWORD :'run_password';
CREATE SCHEMA :"service" AUTHORIZATION :"service";
GRANT USAGE ON SCHEMA :"service" TO :"run";
ALTER DEFAULT PRIVILEGES FOR ROLE :"service" IN SCHEMA :"service"
  GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO :"run";
ALTER ROLE :"service" SET search_path = :"service";
ALTER ROLE :"run" SET search_path = :"service";
SELECT format('GRANT CONNECT ON DATABASE %I TO %I, %I', current_database(), :'service', :'run') \gexec
SQL
done
