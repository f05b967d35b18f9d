import { prove, CARD, type EudiStage } from './eudi-stage';
import { insist } from './strict-judgement';
import { openSession } from './strict-wallet';

/** A row that is known to be open: resolves as soon as it works. */
export type OpenRow = (eudi: EudiStage) => Promise<void>;

/** The only list of what is open; each has its reason in docs/requirements/eu-wallet.json. */
export const OPEN_ROWS: Readonly<Record<string, OpenRow>> = {
  async 'EU:M2'({ stage, offer }) {
    const { issuer } = await openSession((await offer()).uri, CARD);
    insist(issuer.startsWith(`${stage.stack.issuerUrl}/`), 'attested types have no identifier of their own');
  },
  async 'EU:K4'(eudi) {
    const { body } = await prove(eudi, { type: 'jwt', signer: 1, header: { kid: '1' } });
    insist(body['error'] === 'invalid_proof', 'the second attested key may prove');
  },
  async 'EU:K10'(eudi) {
    const unreadable = { idx: 1, uri: `${eudi.stage.stack.issuerUrl}/no-such-list` };
    const claims = { key_storage_status: { status: { status_list: unreadable }, exp: 4_102_444_800 } };
    const { body } = await prove(eudi, { type: 'attestation', claims });
    insist(body['error'] === 'invalid_proof', 'the status of the key storage is not read');
  },
};
