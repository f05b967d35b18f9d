import { SimpleGrid, Text, Textarea, TextInput } from '@mantine/core';
import { useEffect, useState } from 'react';
import { call, type About, type WalletReport } from './api';
import { useSpeech } from './language';
import { Json, Lead, Section } from './parts';
import { Report, WalletBox } from './wallet-box';

interface Held {
  readonly id: string;
  readonly vct: string;
  readonly claims: object;
}

function kindOf(uri: string): 'present' | 'redeem' | undefined {
  if (/[?&]credential_offer(?:_uri)?=/.test(uri)) return 'redeem';
  return /[?&]request(?:_uri)?=/.test(uri) ? 'present' : undefined;
}

function useHeld(isShown: boolean, round: unknown): readonly Held[] {
  const [held, setHeld] = useState<readonly Held[]>([]);
  useEffect(() => {
    if (isShown)
      call<{ items: readonly Held[] }>('GET', '/wallet').then(
        ({ items }) => setHeld(items),
        () => undefined,
      );
  }, [isShown, round]);
  return held;
}

/** Answer any request or offer as a wallet. */
export function AnswerView({ about, isShown }: { readonly about: About; readonly isShown: boolean }) {
  const { text } = useSpeech();
  const [uri, setUri] = useState('');
  const [code, setCode] = useState('');
  const [report, setReport] = useState<WalletReport>();
  const held = useHeld(isShown, report);
  const kind = kindOf(uri.trim());
  return (
    <>
      <Lead title={text('answerTitle')} text={text('answerLead')} />
      <SimpleGrid cols={{ base: 1, md: 2 }}>
        <Section title={text('box')}>
          <Textarea
            label={text('address')}
            autosize={false}
            rows={4}
            value={uri}
            error={uri !== '' && kind === undefined ? text('addressWrong') : undefined}
            onChange={(event) => setUri(event.currentTarget.value)}
          />
          {kind === 'redeem' && (
            <TextInput
              mt="sm"
              label={text('txCode')}
              value={code}
              onChange={(event) => setCode(event.currentTarget.value)}
            />
          )}
          {kind !== undefined && (
            <WalletBox
              key={kind}
              kind={kind}
              uri={uri.trim()}
              txCode={code}
              cases={about.cases[kind]}
              onReport={setReport}
            />
          )}
          {report && <Report report={report} />}
        </Section>
        <Section title={text('held')}>
          {held.length === 0 && <Text className="lead">{text('heldNone')}</Text>}
          {held.map(({ id, vct, claims }) => (
            <div key={id} className="callback">
              <Text fw={600} className="break">
                {vct}
              </Text>
              <Json value={claims} label={vct} />
            </div>
          ))}
        </Section>
      </SimpleGrid>
    </>
  );
}
