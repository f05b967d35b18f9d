import type { Command } from '../command';
import { apiKeys } from './api-keys';
import { audit } from './audit';
import { callbacks } from './callbacks';
import { csr } from './csr';
import { doctor } from './doctor';
import { erase } from './erase';
import { keys } from './keys';
import { migrate } from './migrate';
import { qr } from './qr';
import { reseal } from './reseal';

/** Every command, in the order of the help. */
export const COMMANDS: readonly Command[] = [doctor, keys, csr, callbacks, migrate, reseal, audit, apiKeys, erase, qr];
