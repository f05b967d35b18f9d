import { createBackend, offerSample, requestSample, type Stack } from '@vestibule/dev-stack';
import { call, newOwner, send, signedCredential } from '../wallet-content';

const SCHEMA = { fields: [{ kind: 'STRING', value: { name: 'given_name' } }] };
const VALUES = { given_name: { kind: 'STRING', value: 'Ada' } };

/** Something of everything that the APIs list or read, so that not every answer is an empty list or 404. */
export async function fill(stack: Stack): Promise<void> {
  const backend = createBackend(stack);
  await offerSample(backend);
  await requestSample(backend);
  const owner = await newOwner(stack);
  const query = new URLSearchParams({ ...owner }).toString();
  const imported = await call(stack, 'POST', `/credentials?${query}`, {
    Body: await signedCredential(owner.entityDid),
  });
  await call(stack, 'POST', `/vp?${query}`, { CredentialDids: [imported['CredentialDid']] });
  const schema = await send(stack, 'POST', '/schemas', { data: { schema: SCHEMA } });
  await send(stack, 'PATCH', `/schemas/${String(schema['id'])}/publish`, { slug: 'api' });
  await send(stack, 'POST', `/drafts?${query}`, { data: { schema: { schema: SCHEMA }, values: VALUES } });
}
