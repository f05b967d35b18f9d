import { Group, List, SimpleGrid, Text } from '@mantine/core';
import type { About, Check, LoggedCallback, WalletReport } from './api';
import { Cross, Phone, Scales, Server, Tick } from './icons';
import { useSpeech } from './language';
import { Json, Section, StatusBadge } from './parts';
import type { Flow } from './use-flow';
import { Report } from './wallet-box';

function CheckLine({ check }: { readonly check: Check }) {
  const { text } = useSpeech();
  const isGood = check.outcome === 'passed';
  return (
    <div className={isGood ? 'check check-good' : 'check check-bad'}>
      <span className="check-icon">{isGood ? <Tick /> : <Cross />}</span>
      <div className="grow">
        <Group gap={6} wrap="nowrap" justify="space-between">
          <Text size="sm" fw={600}>
            {check.check}
            {check.credential !== undefined && <span className="check-credential"> {check.credential}</span>}
          </Text>
          <Text size="xs" className="mono lead">
            {check.milliseconds.toFixed(1)} ms
          </Text>
        </Group>
        <Text size="xs" className="lead">
          {check.section}
        </Text>
        {check.code !== undefined && <code className="check-code">{check.code}</code>}
        {check.remedy !== undefined && (
          <Text size="sm">
            {text('remedy')}: {check.remedy}
          </Text>
        )}
      </div>
    </div>
  );
}

/** The decision record as a list. */
function Record({ checks }: { readonly checks: readonly Check[] }) {
  const { text } = useSpeech();
  return (
    <List listStyleType="none" className="checks" aria-label={text('recordSaw')}>
      {checks.map((check, index) => (
        <List.Item key={index}>
          <CheckLine check={check} />
        </List.Item>
      ))}
    </List>
  );
}

function Callback({ callback }: { readonly callback: LoggedCallback }) {
  const { text } = useSpeech();
  const isValid = callback.signature === 'valid';
  return (
    <div className="callback">
      <Group gap="xs" mb="xs">
        <StatusBadge status={callback.status ?? '?'} />
        <StatusBadge
          status={isValid ? 'valid' : 'wrong'}
          label={isValid ? text('signatureValid') : `${text('signatureInvalid')}: ${callback.signature}`}
        />
      </Group>
      <Json value={callback.body} label={`${text('backendSaw')}: ${callback.status ?? ''}`} />
    </div>
  );
}

interface ResultsProps {
  readonly about: About;
  readonly flow: Flow;
  readonly report: WalletReport | undefined;
  /** Offers have no decision record. */
  readonly withRecord: boolean;
}

/** What everybody saw of one flow: the wallet, the backend and the decision record. */
export function Results({ flow, report, withRecord }: ResultsProps) {
  const { text } = useSpeech();
  const { checks } = flow.view ?? {};
  return (
    <SimpleGrid cols={{ base: 1, md: withRecord ? 3 : 2 }} mt="lg">
      <Section title={text('walletSaw')} icon={<Phone />}>
        {report ? <Report report={report} /> : <Text className="lead">{text('walletNothing')}</Text>}
      </Section>
      <Section title={text('backendSaw')} icon={<Server />}>
        {flow.callbacks.length === 0 && <Text className="lead">{text('backendNothing')}</Text>}
        {flow.callbacks.map((callback) => (
          <Callback key={callback.number} callback={callback} />
        ))}
      </Section>
      {withRecord && (
        <Section title={text('recordSaw')} icon={<Scales />}>
          {checks ? <Record checks={checks} /> : <Text className="lead">{text('recordNothing')}</Text>}
        </Section>
      )}
    </SimpleGrid>
  );
}
