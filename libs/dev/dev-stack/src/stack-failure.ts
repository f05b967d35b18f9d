import { DomainError } from '@vestibule/foundation';

/** The failures of the development stack; product code throws none of them. */
type StackCode =
  | 'admin_may_not_create_databases'
  | 'admin_may_not_create_roles'
  | 'admin_may_not_create_schemas'
  | 'app_not_built'
  | 'app_not_listening'
  | 'app_not_ready'
  | 'app_port_taken'
  | 'backend_refused'
  | 'bad_identifier'
  | 'bad_literal'
  | 'broker_not_loopback'
  | 'broker_start_failed'
  | 'callback_missing'
  | 'callback_too_large'
  | 'callback_waits'
  | 'data_folder_in_use'
  | 'data_folder_unreachable'
  | 'database_unreachable'
  | 'disk_full'
  | 'foreign_folder'
  | 'misplaced_file'
  | 'nats_server_start_failed'
  | 'nats_unreachable'
  | 'no_data_folder'
  | 'no_door'
  | 'no_free_port'
  | 'no_nats_server'
  | 'no_postgres_binaries'
  | 'no_stage'
  | 'no_stage_host'
  | 'no_such_process'
  | 'no_such_question'
  | 'no_temp_folder'
  | 'no_test_database'
  | 'no_test_nats'
  | 'not_running'
  | 'port_taken'
  | 'postgres_binaries_unusable'
  | 'postgres_initdb_failed'
  | 'postgres_password_lost'
  | 'postgres_start_failed'
  | 'proxy_start_failed'
  | 'question_too_large'
  | 'stage_host_failed';

declare module '@vestibule/foundation' {
  interface ErrorTables {
    readonly stack: Readonly<Record<StackCode, unknown>>;
  }
}

/**
 * Why the development stack or a part of it did not start. `detail` says what happened and what to do about it; it may
 * name programs, ports and folders, never a password or a key.
 */
export class StackFailure extends DomainError {
  constructor(code: StackCode, detail: string, cause?: unknown) {
    super({ kind: 'unavailable', code, detail, cause });
  }
}
