import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createCertificateAuthority, toPem } from '@vestibule/dev-pki';
import { EUDI_SAMPLE_ISSUER, type Stack } from '@vestibule/dev-stack';
import { SignJWT } from 'jose';

/** The use that covers less than the others: `given_name` alone. */
export const NARROW_USE = 'narrow';

/** What a registrar certifies about an installation, as verifier and as issuer (ETSI TS 119 475). */
export interface Registrations {
  /** PEM of the root that the registrar's certificate is below. */
  readonly rootFile: string;
  /** `REGISTRATION_FILE` of the verifier, which sends also what is not registered: wallets decide. */
  readonly file: string;
  /** Puts the certificate of the issuer into its settings, and starts it again. */
  publish(stack: Stack): Promise<void>;
  remove(): void;
}

/** Registers requests for all claims of a type, requests for one of them, and the issuance of the type. */
export async function register(vct: string): Promise<Registrations> {
  const folder = mkdtempSync(path.join(tmpdir(), 'vestibule-registrations-'));
  const registrar = await createCertificateAuthority({ name: 'Registrar', now: new Date() });
  const { certificate, privateKey } = await registrar.issue({ name: 'Registration certificates' });
  const certify = (claims: object) =>
    new SignJWT({ name: 'Vestibule', sub: 'VATDE-123456789', ...claims })
      .setProtectedHeader({ typ: 'rc-wrp+jwt', alg: 'ES256', x5c: [certificate.toString('base64')] })
      .setIssuedAt()
      .sign(privateKey);
  const card = { format: 'dc+sd-jwt', meta: { vct_values: [vct] } };
  const ofIssuer = await certify({ provides_attestations: [card] });
  const write = (name: string, text: string) => {
    writeFileSync(path.join(folder, name), text);
    return path.join(folder, name);
  };
  write('usual.jwt', await certify({ credentials: [card] }));
  write('narrow.jwt', await certify({ credentials: [{ ...card, claim: [{ path: ['given_name'] }] }] }));
  const registrations = ['usual', NARROW_USE].map((id) => ({ id, certificate: `${id}.jwt` }));
  return {
    rootFile: write('root.pem', toPem(registrar.certificate)),
    file: write('registration.json', JSON.stringify({ policy: 'report', default: 'usual', registrations })),
    publish: async (stack) => {
      const file = path.join(stack.files.folder, 'types/issuance.json');
      const settings = JSON.parse(readFileSync(file, 'utf8')) as { issuers: Record<string, object> };
      const info = [{ format: 'registration_cert', data: ofIssuer }];
      settings.issuers[EUDI_SAMPLE_ISSUER] = { ...settings.issuers[EUDI_SAMPLE_ISSUER], issuer_info: info };
      writeFileSync(file, JSON.stringify(settings));
      await stack.process('issuer').restart();
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
