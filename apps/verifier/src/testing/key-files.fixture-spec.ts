import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { toPem, type DevelopmentPki, type IssuedCertificate, type IssueOptions } from '@vestibule/dev-pki';
import { DomainError } from '@vestibule/foundation';
import type { LogFields } from '@vestibule/process';
import { at } from './verifier.fixture-spec';

/** A folder of files, removed by `remove`. */
export function createFolder() {
  const folder = mkdtempSync(path.join(tmpdir(), 'vestibule-keys-'));
  const fileOf = (name: string) => path.join(folder, name);
  return {
    folder,
    fileOf,
    write(name: string, content: string | Uint8Array): string {
      mkdirSync(path.dirname(fileOf(name)), { recursive: true });
      writeFileSync(fileOf(name), content);
      return fileOf(name);
    },
    delete: (name: string) => rmSync(fileOf(name)),
    remove: () => rmSync(folder, { recursive: true }),
  };
}
export type Folder = ReturnType<typeof createFolder>;

/** An access certificate that is valid for some days, counted from NOW. */
export async function issueFor(
  { root }: DevelopmentPki,
  [from, to]: readonly [number, number],
  more: Partial<IssueOptions> = {},
): Promise<IssuedCertificate & { readonly pem: string }> {
  const days = { notBefore: at(from * 86_400), notAfter: at(to * 86_400) };
  const issued = await root.issue({ name: 'Verifier', ...days, ...more });
  return { ...issued, pem: toPem([issued.certificate, root.certificate]) };
}

/** No key is in a device. */
export function noDevice(): never {
  throw new RangeError('there is no device');
}

/** A logger that keeps what it is told. */
export function createMemoryLogger() {
  const lines: { level: string; message: string; fields: LogFields }[] = [];
  const at =
    (level: string) =>
    (message: string, fields: LogFields = {}) =>
      void lines.push({ level, message, fields });
  return {
    lines,
    levels: () => lines.map(({ level }) => level),
    debug: at('debug'),
    info: at('info'),
    warn: at('warn'),
    error: at('error'),
  };
}

/** Every fault is one of ours, so that the log of the start may say what it is. */
export function faultOf(step: () => unknown): DomainError {
  try {
    step();
  } catch (error) {
    if (error instanceof DomainError) return error;
    throw error;
  }
  throw new Error('nothing was wrong');
}
