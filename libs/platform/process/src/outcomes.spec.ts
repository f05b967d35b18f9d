import { countOutcomes, createMetrics } from './index';

describe('outcomes', () => {
  const opened = () => {
    const metrics = createMetrics('verifier');
    const outcomes = countOutcomes(metrics, 'flows_ended_total', 'Flows');
    const counted = async () =>
      (await metrics.render())
        .split('\n')
        .filter((line) => line.startsWith('vestibule_flows_ended_total{'))
        .map((line) => line.replace('vestibule_flows_ended_total', '').replace(',service="verifier"', ''));
    return { outcomes, counted };
  };

  it('are counted by status, and failures by their code', async () => {
    const { outcomes, counted } = opened();
    outcomes.add({ status: 'FULFILLED' });
    for (const credential of ['pid', 'card'])
      outcomes.add({
        status: 'VERIFICATION_FAILED',
        errorDetails: `credential_expired: credential "${credential}": old`,
      });
    outcomes.add({ status: 'FAILED', errorDetails: 'offer_cancelled: the backend cancelled it' });
    expect(await counted()).toEqual([
      '{outcome="FULFILLED",code="none"} 1',
      '{outcome="VERIFICATION_FAILED",code="credential_expired"} 2',
      '{outcome="FAILED",code="offer_cancelled"} 1',
    ]);
  });

  it('have no word of a wallet, and no text that is not a code', async () => {
    const { outcomes, counted } = opened();
    outcomes.add({ status: 'REJECTED', errorDetails: 'anything_that_a_wallet_says' });
    for (const errorDetails of [
      undefined,
      '',
      'A sentence: with a name',
      `${'x'.repeat(65)}: too long`,
      'two words: x',
    ])
      outcomes.add({ status: 'PROCESSING_ERROR', errorDetails });
    expect(await counted()).toEqual([
      '{outcome="REJECTED",code="none"} 1',
      '{outcome="PROCESSING_ERROR",code="none"} 5',
    ]);
  });

  it('of many are as many as this process ended', async () => {
    const { outcomes, counted } = opened();
    outcomes.addSome(
      ['EXPIRED', 'EXPIRED', 'EXPIRED'].map((status) => ({ status })),
      2,
    );
    outcomes.addSome([], 0);
    expect(await counted()).toEqual(['{outcome="EXPIRED",code="none"} 2']);
  });
});
