import { StatusMark } from '#pwa/ui/controls/status-mark.tsx';

/** What the server refused a form with, below its fields: brought into view, as a long form is sent from a foot that always shows. */
export function Refusal({ text }: { text: string | undefined }) {
  if (text === undefined) return null;
  return (
    <p role="alert" ref={bringIntoView}>
      <StatusMark status="failed">{text}</StatusMark>
    </p>
  );
}

function bringIntoView(node: HTMLElement | null): void {
  node?.scrollIntoView({ block: 'nearest' });
}
