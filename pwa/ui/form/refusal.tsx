import { StatusMark } from '#pwa/ui/controls/status-mark.tsx';

/** What the server refused a form with, below its fields. */
export function Refusal({ text }: { text: string | undefined }) {
  if (text === undefined) return null;
  return (
    <p role="alert">
      <StatusMark status="failed">{text}</StatusMark>
    </p>
  );
}
