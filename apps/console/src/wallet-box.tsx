import { Alert, Button, Group, List, NativeSelect, Text } from '@mantine/core';
import { useState } from 'react';
import { call, CallFault, type Step, type WalletCase, type WalletReport } from './api';
import { caseName } from './cases';
import { useSpeech } from './language';
import { StatusBadge } from './parts';

interface WalletBoxProps {
  readonly kind: 'present' | 'redeem';
  readonly uri: string;
  readonly txCode?: string;
  readonly cases: readonly WalletCase[];
  readonly onReport: (report: WalletReport) => void;
}

/** Runs one case of the wallet in a box. */
export function WalletBox({ kind, uri, txCode, cases, onReport }: WalletBoxProps) {
  const { text, language } = useSpeech();
  const [name, setName] = useState('accept');
  const [isRunning, setRunning] = useState(false);
  const [fault, setFault] = useState<string>();
  const run = async () => {
    setRunning(true);
    setFault(undefined);
    try {
      onReport(await call<WalletReport>('POST', `/wallet/${kind}`, { case: name, uri, tx_code: txCode }));
    } catch (error) {
      setFault(error instanceof CallFault ? error.detail : text('failed'));
    }
    setRunning(false);
  };
  const options = (isRight: boolean) =>
    cases
      .filter(({ expected }) => (expected === 'refused') !== isRight)
      .map((one) => ({ value: one.name, label: caseName(one.name, language) }));
  return (
    <div className="box">
      <Text fw={600}>{text('box')}</Text>
      <Text size="sm" className="lead" mb="xs">
        {text('boxLead')}
      </Text>
      <Group align="flex-end" wrap="nowrap">
        <NativeSelect
          className="grow"
          label={text('behaviour')}
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
          data={[
            { group: text('right'), items: options(true) },
            { group: text('wrong'), items: options(false) },
          ]}
        />
        <Button onClick={() => void run()} loading={isRunning}>
          {text(kind === 'present' ? 'answerNow' : 'redeemNow')}
        </Button>
      </Group>
      <Text size="sm" mt={6} role="status" className="lead">
        {isRunning ? text('running') : ' '}
      </Text>
      {fault !== undefined && (
        <Alert color="red" className="alert">
          {fault}
        </Alert>
      )}
    </div>
  );
}

function StepLine({ step }: { readonly step: Step }) {
  return (
    <div className="step">
      <span className="step-name">{step.name}</span>
      {step.status !== undefined && <span className={step.status < 400 ? 'step-good' : 'step-bad'}>{step.status}</span>}
      <span className="step-time">{step.milliseconds.toFixed(0)} ms</span>
      {step.request !== undefined && <span className="step-request">{step.request}</span>}
    </div>
  );
}

/** What the wallet saw. */
export function Report({ report }: { readonly report: WalletReport }) {
  const { text, language } = useSpeech();
  const facts = [report.status, report.error, report.detail].filter((fact) => fact !== undefined);
  return (
    <>
      <Group gap="xs" mb="xs">
        <Text fw={600}>{caseName(report.case, language)}</Text>
        <StatusBadge status={report.outcome} label={text(report.outcome)} />
        <StatusBadge
          status={report.asExpected ? 'valid' : 'wrong'}
          label={text(report.asExpected ? 'asExpected' : 'notExpected')}
        />
      </Group>
      {facts.length > 0 && <Text size="sm">{facts.join(' · ')}</Text>}
      {report.redirectUri !== undefined && (
        <Text size="sm" className="break">
          → {report.redirectUri}
        </Text>
      )}
      <List listStyleType="none" mt="sm" className="steps">
        {report.steps.map((step, index) => (
          <List.Item key={index}>
            <StepLine step={step} />
          </List.Item>
        ))}
      </List>
    </>
  );
}
