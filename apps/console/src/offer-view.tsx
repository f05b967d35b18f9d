import {
  Alert,
  Button,
  Checkbox,
  Divider,
  Group,
  List,
  NativeSelect,
  SimpleGrid,
  Text,
  TextInput,
} from '@mantine/core';
import { useState } from 'react';
import { CallFault, manage, type About, type CredentialType, type Fault, type WalletReport } from './api';
import { claimsOf, fieldsOf, nameOf, type Field } from './claims-form';
import { useSpeech } from './language';
import { Lead, Section, StatusBadge } from './parts';
import { Results } from './results';
import { NothingYet, Scan } from './scan';
import { isOpen, useFlow, type Flow } from './use-flow';
import { WalletBox } from './wallet-box';

interface Created {
  readonly offer_id: string;
  readonly credential_offer_uri: string;
  readonly tx_code_value?: string;
}

interface Refused {
  readonly detail: string;
  readonly faults: readonly Fault[];
}

interface ClaimInputProps {
  readonly field: Field;
  readonly value: string;
  readonly fault: string | undefined;
  readonly onChange: (value: string) => void;
}

function ClaimInput({ field, value, fault, onChange }: ClaimInputProps) {
  const { text } = useSpeech();
  if (field.kind === 'flag') {
    const isOn = value === 'true';
    return <Checkbox label={field.label} checked={isOn} onChange={() => onChange(isOn ? '' : 'true')} />;
  }
  return (
    <TextInput
      label={field.label}
      type={field.kind === 'date' ? 'date' : 'text'}
      description={field.kind === 'list' ? text('listHint') : undefined}
      withAsterisk={field.mandatory}
      value={value}
      error={fault}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}

/** The faults of claims that have no input of their own, and what else is wrong. */
function Faults({ refused, fields }: { readonly refused: Refused; readonly fields: readonly Field[] }) {
  const { text } = useSpeech();
  const others = refused.faults.filter(({ path }) => !fields.some(({ place }) => path === place));
  return (
    <Alert color="red" mt="md" title={text('faults')} className="alert" role="alert">
      {refused.detail}
      <List size="sm">
        {others.map(({ path, message }) => (
          <List.Item key={`${path} ${message}`}>
            <code>{path}</code> {message}
          </List.Item>
        ))}
      </List>
    </Alert>
  );
}

interface FormProps {
  readonly about: About;
  readonly onCreated: (created: Created) => void;
}

function useOffer({ about, onCreated }: FormProps, type: CredentialType | undefined, fields: readonly Field[]) {
  const { text } = useSpeech();
  const [values, setValues] = useState<Readonly<Record<string, string>>>({});
  const [hasCode, setCode] = useState(true);
  const [refused, setRefused] = useState<Refused>();
  const create = async () => {
    setRefused(undefined);
    const elsewhere = about.callbackUrl === undefined ? {} : { callback_url: about.callbackUrl };
    const body = {
      ...elsewhere,
      credential_configuration_id: type?.id,
      claims: claimsOf(fields, values),
      ...(hasCode ? { tx_code: { input_mode: 'numeric', length: 6 } } : {}),
    };
    try {
      onCreated(await manage<Created>('POST', '/offers', body));
    } catch (error) {
      const { detail, faults } = error instanceof CallFault ? error : { detail: text('failed'), faults: [] };
      setRefused({ detail, faults });
    }
  };
  return { values, setValues, hasCode, setCode, refused, setRefused, create };
}

function OfferForm(props: FormProps) {
  const { text, language } = useSpeech();
  const { types } = props.about;
  const [id, setId] = useState(types.find((type) => type.id === 'identity-card')?.id ?? types[0]?.id ?? '');
  const type = types.find((one) => one.id === id);
  const fields = type ? fieldsOf(type, language) : [];
  const offer = useOffer(props, type, fields);
  const choose = (next: string) => {
    setId(next);
    offer.setValues({});
    offer.setRefused(undefined);
  };
  return (
    <Section title={text('claims')}>
      <NativeSelect
        label={text('type')}
        description={type?.metadata.description}
        mb="md"
        value={id}
        onChange={(event) => choose(event.currentTarget.value)}
        data={types.map((one) => ({ value: one.id, label: nameOf(one, language) }))}
      />
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        {fields.map((field) => (
          <ClaimInput
            key={field.key}
            field={field}
            value={offer.values[field.key] ?? field.sample}
            fault={offer.refused?.faults.find(({ path }) => path === field.place)?.message}
            onChange={(value) => offer.setValues({ ...offer.values, [field.key]: value })}
          />
        ))}
      </SimpleGrid>
      <Checkbox
        mt="md"
        label={text('needsTxCode')}
        checked={offer.hasCode}
        onChange={() => offer.setCode(!offer.hasCode)}
      />
      {offer.refused && <Faults refused={offer.refused} fields={fields} />}
      <Group mt="md">
        <Button size="md" onClick={() => void offer.create()}>
          {text('createOffer')}
        </Button>
      </Group>
    </Section>
  );
}

/** Revocation, suspension and their end. */
function CredentialStatus({ offerId }: { readonly offerId: string }) {
  const { text } = useSpeech();
  const [status, setStatus] = useState('valid');
  const [fault, setFault] = useState<string>();
  const change = async (next: string) => {
    setFault(undefined);
    try {
      await manage('PATCH', `/offers/${offerId}/status`, { status: next });
      setStatus(next);
    } catch (error) {
      setFault(error instanceof CallFault ? error.detail : text('failed'));
    }
  };
  return (
    <div className="credential-status">
      <Group gap="xs" role="status">
        <Text fw={600}>{text('credentialStatus')}</Text>
        <StatusBadge status={status} />
      </Group>
      <Text size="sm" className="lead" my="xs">
        {text('statusDelay')}
      </Text>
      <Group gap="xs">
        <Button variant="default" onClick={() => void change('suspended')}>
          {text('suspend')}
        </Button>
        <Button variant="default" onClick={() => void change('valid')}>
          {text('restore')}
        </Button>
        <Button variant="light" color="red" className="danger" onClick={() => void change('revoked')}>
          {text('revoke')}
        </Button>
      </Group>
      {fault !== undefined && (
        <Alert color="red" mt="sm" className="alert">
          {fault}
        </Alert>
      )}
    </div>
  );
}

function TxCode({ code }: { readonly code: string }) {
  const { text } = useSpeech();
  return (
    <div className="tx-code">
      <Text fw={600}>{text('txCode')}</Text>
      <output className="tx-code-digits">{code}</output>
      <Text size="sm" className="lead">
        {text('txCodeLead')}
      </Text>
    </div>
  );
}

interface PanelProps {
  readonly about: About;
  readonly created: Created;
  readonly flow: Flow;
  readonly onReport: (report: WalletReport) => void;
}

function OfferPanel({ about, created, flow, onReport }: PanelProps) {
  const { text } = useSpeech();
  const { offer_id: offerId, credential_offer_uri: uri, tx_code_value: code } = created;
  const cancel = () => void manage('DELETE', `/offers/${offerId}`).catch(() => undefined);
  return (
    <>
      <Scan uri={uri} qrLabel={text('qrOffer')} view={flow.view} />
      {code !== undefined && <TxCode code={code} />}
      <Divider my="md" />
      {flow.view?.status === 'ISSUED' ? (
        <CredentialStatus offerId={offerId} />
      ) : (
        <WalletBox
          kind="redeem"
          uri={uri}
          cases={about.cases.redeem}
          onReport={onReport}
          {...(code === undefined ? {} : { txCode: code })}
        />
      )}
      {isOpen(flow.view) && (
        <Button variant="subtle" color="red" className="withdraw" onClick={cancel}>
          {text('cancelOffer')}
        </Button>
      )}
    </>
  );
}

/** Offer a credential to a wallet. */
export function OfferView({ about }: { readonly about: About }) {
  const { text } = useSpeech();
  const [created, setCreated] = useState<Created>();
  const [report, setReport] = useState<WalletReport>();
  const flow = useFlow(created && `/offers/${created.offer_id}`, report);
  const begin = (next: Created) => {
    setReport(undefined);
    setCreated(next);
  };
  return (
    <>
      <Lead title={text('offerTitle')} text={text('offerLead')} />
      <SimpleGrid cols={{ base: 1, md: 2 }}>
        <OfferForm about={about} onCreated={begin} />
        <Section title={text('scan')}>
          {created ? (
            <OfferPanel key={created.offer_id} about={about} created={created} flow={flow} onReport={setReport} />
          ) : (
            <NothingYet />
          )}
        </Section>
      </SimpleGrid>
      {created && <Results about={about} flow={flow} report={report} withRecord={false} />}
    </>
  );
}
