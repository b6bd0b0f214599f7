// Tests the panel with a record of no feature. The panels of tokens and codes have their own tests.
import { TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { z } from 'zod/mini';
import { watchConnection } from '#pwa/offline/online-status.tsx';
import { CallFailure } from '#pwa/api/failure.ts';
import { problemTexts } from '#pwa/ui/form/field-errors.ts';
import { type DrawnScreen, drawScreen, shows, startScreenTexts } from '#tests/support/console-screen.tsx';
import { RecordPanel } from './record-panel.tsx';
import { useEditedRecord } from './use-edited-record.ts';

const Boat = z.object({ id: z.number(), name: z.string(), sails: z.number(), revision: z.number() });
type Boat = z.infer<typeof Boat>;
type BoatEdit = Partial<Boat> & Pick<Boat, 'id' | 'revision'>;

const stored: Boat = { id: 4, name: 'Tern', sails: 2, revision: 1 };
const calls = { save: (_body: BoatEdit): Promise<Boat> => Promise.resolve(stored), onRemove: () => {}, onToggle: () => {} };

interface BoatPanelProps {
  isReadOnly?: boolean;
  canToggle?: boolean;
}

function BoatPanel({ isReadOnly = false, canToggle = true }: BoatPanelProps) {
  const edited = useEditedRecord(stored, {
    valuesOf: ({ name, sails }) => ({ name, sails: String(sails) }),
    problems: ({ name }) => problemTexts({ name: name === '' ? 'nameless' : undefined }, () => 'A boat has a name'),
    edit: useMutation({ mutationFn: calls.save, meta: { quiet: true } }),
    schema: Boat,
    bodyOf: ({ name, sails }, base, revision): BoatEdit => ({
      id: base.id,
      ...(name === base.name ? {} : { name }),
      ...(Number(sails) === base.sails ? {} : { sails: Number(sails) }),
      revision,
    }),
  });
  const compared = ['name', 'sails'] as const;
  return (
    <RecordPanel
      formId="boat"
      edited={edited}
      comparison={{
        changesBetween: (before, theirs) => compared.filter((field) => before[field] !== theirs[field]),
        nameOf: (field) => `its ${field}`,
        show: (field, boat) => String(boat[field]),
      }}
      standing={<p>At anchor</p>}
      history="token:1"
      heading="Fittings"
      isReadOnly={isReadOnly}
      toggle={canToggle ? { label: 'Launch', isPending: false, onToggle: () => calls.onToggle() } : undefined}
      onRemove={() => calls.onRemove()}
      onClose={() => {}}
      onPrevious={undefined}
      onNext={undefined}
    >
      <TextInput label="Name" {...edited.form.getInputProps('name')} />
      <TextInput label="Sails" {...edited.form.getInputProps('sails')} />
    </RecordPanel>
  );
}

let screen: DrawnScreen;
let stopWatching: () => void;
let sent: BoatEdit[];

beforeAll(() => startScreenTexts('editing'));
beforeEach(() => {
  stopWatching = watchConnection();
  sent = [];
});
afterEach(() => {
  screen.leave();
  stopWatching();
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

/** A save answers with the record as it was sent, or with what a test has for it. */
function open(props: BoatPanelProps = {}, answers: (Boat | Error)[] = []): void {
  calls.save = (body) => {
    sent.push(body);
    const answer = answers.shift() ?? { ...stored, ...body, revision: body.revision + 1 };
    return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer);
  };
  screen = drawScreen(<BoatPanel {...props} />);
}
const foot = () =>
  [...document.querySelectorAll('footer button, [role=dialog] > :last-child button')].map(({ textContent }) => textContent);
const conflictText = () => document.querySelector('[role=alert]')?.textContent;

test('record-panel: what is wrong with a field is said there, and nothing is sent', async () => {
  open();
  await shows(() => screen.type('Name', ''));
  screen.press('Save');
  await shows(() => expect(screen.problem('Name')).toBe('A boat has a name'));
  expect(sent).toEqual([]);
});

test('record-panel: only what was changed is sent; saved, it is the new beginning', async () => {
  open();
  await shows(() => screen.type('Sails', '3'));
  screen.press('Save');
  await shows(() => expect(sent).toEqual([{ id: 4, sails: 3, revision: 1 }]));
  await shows(() => expect(screen.button('Save').disabled).toBe(true));
  screen.type('Name', 'Petrel');
  screen.press('Save');
  await shows(() => expect(sent[1]).toEqual({ id: 4, name: 'Petrel', revision: 2 }));
});

test('record-panel: of two who edit the second sees what the first has changed, with their own value only where it differs', async () => {
  const theirs = { ...stored, name: 'Gull', sails: 5, revision: 7 };
  open({}, [new CallFailure({ code: 'revision_conflict', message: 'changed', data: theirs })]);
  await shows(() => screen.type('Name', 'Petrel'));
  screen.press('Save');
  await shows(() => expect(conflictText()).toContain('Tern → Gull'));
  expect(conflictText()).toContain('yours: Petrel');
  expect(conflictText()).toContain('its sails2 → 5');
  expect(conflictText()).not.toContain('yours: 2');
  screen.press('Save my changes');
  await shows(() => expect(sent[1]).toEqual({ id: 4, name: 'Petrel', revision: 7 }));
  await shows(() => expect(conflictText()).toBeUndefined());
});

test('record-panel: deletes and switches by what it was given', async () => {
  const removed = vi.spyOn(calls, 'onRemove');
  const toggled = vi.spyOn(calls, 'onToggle');
  open();
  await shows(() => screen.press('Launch'));
  expect([toggled.mock.calls.length, removed.mock.calls.length]).toEqual([1, 0]);
  screen.press('Delete');
  expect([toggled.mock.calls.length, removed.mock.calls.length]).toEqual([1, 1]);
});

test('record-panel: what is read only has no form, and without a switch only goes', () => {
  open({ isReadOnly: true, canToggle: false });
  expect(screen.text()).toContain('At anchor');
  expect(screen.text()).not.toContain('Fittings');
  expect(foot()).toEqual(['Delete']);
});

test.each([
  ['one that can be saved', {}, ['Editing needs a connection']],
  ['one that can only be switched', { isReadOnly: true }, ['Editing needs a connection']],
  ['one that can only be deleted', { isReadOnly: true, canToggle: false }, ['Delete needs a connection']],
])('record-panel: without a connection is said at the foot of %s once what needs one, at every width', async (_which, props, buttons) => {
  open(props);
  dispatchEvent(new Event('offline'));
  await shows(() => expect(foot()).toEqual(buttons));
});
