import { KeyObject } from 'node:crypto';

function certificatePem(der: Uint8Array): string {
  const lines =
    Buffer.from(der)
      .toString('base64')
      .match(/.{1,64}/g) ?? [];
  return ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n');
}

/** PEM of a private key (PKCS #8), of one certificate, or of several in sequence. */
export function toPem(value: KeyObject | Uint8Array | readonly Uint8Array[]): string {
  if (value instanceof KeyObject) return value.export({ type: 'pkcs8', format: 'pem' }).toString();
  return value instanceof Uint8Array ? certificatePem(value) : value.map(certificatePem).join('');
}
