import { Alert, Button, Divider, Group, SegmentedControl, SimpleGrid, Text } from '@mantine/core';
import { useState } from 'react';
import { CallFault, manage, type About, type Fault, type WalletReport } from './api';
import { Editor } from './editor';
import { useSpeech } from './language';
import { Lead, pretty, Section } from './parts';
import { Results } from './results';
import { NothingYet, Scan } from './scan';
import { templatesFor, type Template } from './templates';
import { isOpen, useFlow, type Flow } from './use-flow';
import { WalletBox } from './wallet-box';

interface Created {
  readonly state: string;
  readonly same_device_request_uri: string;
  readonly cross_device_request_uri: string;
}

interface Refused {
  readonly faults: readonly Fault[];
  readonly detail?: string;
  readonly jsonFault?: string;
}

const NOTHING: Refused = { faults: [] };

const shown = (template: Template | undefined) => pretty(template?.body ?? {});

function refusedBy(error: unknown, otherwise: string): Refused {
  if (error instanceof SyntaxError) return { faults: [], jsonFault: error.message };
  if (error instanceof CallFault) return { faults: error.faults, detail: error.detail };
  return { faults: [], detail: otherwise };
}

interface FormProps {
  readonly about: About;
  readonly onCreated: (created: Created) => void;
}

function RequestForm({ about, onCreated }: FormProps) {
  const { text } = useSpeech();
  const templates = templatesFor(about.issuerUrl ?? '');
  const [chosen, setChosen] = useState('card');
  const [body, setBody] = useState(() => shown(templates[0]));
  const [refused, setRefused] = useState<Refused>(NOTHING);
  const edit = (next: string) => {
    setBody(next);
    setRefused(NOTHING);
  };
  const choose = (id: string) => {
    setChosen(id);
    edit(shown(templates.find((template) => template.id === id)));
  };
  const create = async () => {
    setRefused(NOTHING);
    try {
      const asked = JSON.parse(body) as object;
      const elsewhere = about.callbackUrl === undefined ? {} : { callback_url: about.callbackUrl };
      onCreated(await manage<Created>('POST', '/oidc4vp', { ...elsewhere, ...asked }));
    } catch (error) {
      setRefused(refusedBy(error, text('failed')));
    }
  };
  return (
    <Section title={text('body')}>
      <Text size="sm" fw={500} mb={4} id="template-label">
        {text('template')}
      </Text>
      <SegmentedControl
        fullWidth
        mb="md"
        aria-labelledby="template-label"
        className="templates"
        value={chosen}
        onChange={choose}
        data={templates.map(({ id, label }) => ({ value: id, label: text(label) }))}
      />
      <Editor value={body} onChange={edit} faults={refused.faults} jsonFault={refused.jsonFault} />
      {refused.detail !== undefined && refused.faults.length === 0 && (
        <Alert color="red" mt="sm" className="alert">
          {refused.detail}
        </Alert>
      )}
      <Group mt="md">
        <Button size="md" onClick={() => void create()}>
          {text('createRequest')}
        </Button>
      </Group>
    </Section>
  );
}

interface PanelProps {
  readonly about: About;
  readonly created: Created;
  readonly flow: Flow;
  readonly onReport: (report: WalletReport) => void;
}

function RequestPanel({ about, created, flow, onReport }: PanelProps) {
  const { text } = useSpeech();
  const withdraw = () => void manage('DELETE', `/oidc4vp/${created.state}`).catch(() => undefined);
  return (
    <>
      <Scan
        uri={created.cross_device_request_uri}
        link={created.same_device_request_uri}
        qrLabel={text('qrRequest')}
        view={flow.view}
      />
      <Divider my="md" />
      <WalletBox
        kind="present"
        uri={created.cross_device_request_uri}
        cases={about.cases.present}
        onReport={onReport}
      />
      {isOpen(flow.view) && (
        <Button variant="subtle" color="red" className="withdraw" onClick={withdraw}>
          {text('withdraw')}
        </Button>
      )}
    </>
  );
}

/** Ask a wallet for credentials. */
export function AskView({ about }: { readonly about: About }) {
  const { text } = useSpeech();
  const [created, setCreated] = useState<Created>();
  const [report, setReport] = useState<WalletReport>();
  const flow = useFlow(created && `/oidc4vp/${created.state}`, report);
  const begin = (next: Created) => {
    setReport(undefined);
    setCreated(next);
  };
  return (
    <>
      <Lead title={text('askTitle')} text={text('askLead')} />
      <SimpleGrid cols={{ base: 1, md: 2 }}>
        <RequestForm about={about} onCreated={begin} />
        <Section title={text('scan')}>
          {created ? (
            <RequestPanel key={created.state} about={about} created={created} flow={flow} onReport={setReport} />
          ) : (
            <NothingYet />
          )}
        </Section>
      </SimpleGrid>
      {created && <Results about={about} flow={flow} report={report} withRecord />}
    </>
  );
}
