import { requireBatches } from './batches';

const typeOf = (mostCredentials?: number) => ({ configurationId: 'card', mostCredentials });

describe('requireBatches', () => {
  it('VCI:P3 takes policies whose batches the issuer gives at once, and types without one', () => {
    expect(() => requireBatches([typeOf(), typeOf(1), typeOf(10)], 10)).not.toThrow();
    expect(() => requireBatches([typeOf(), typeOf(1)], 1)).not.toThrow();
  });

  it.each([
    [10, 11],
    [1, 2],
  ])('VCI:P3 with BATCH_SIZE=%d stops the start for a policy with %d', (batchSize, most) => {
    const detail: unknown = expect.stringMatching(/card .*BATCH_SIZE/);
    const fault = expect.objectContaining({ code: 'type_metadata_invalid', detail });
    expect(() => requireBatches([typeOf(), typeOf(most)], batchSize)).toThrow(fault);
  });
});
