import { TextArea } from '#pwa/ui/form/text-area.tsx';
import typography from '#pwa/ui/styles/typography.module.css';
import { around, type ControlProps } from './control-props.ts';

/** Several lines of text: a list with an entry on each, or a text that a page shows. */
export function TextBox(props: ControlProps & { minRows: number; isMono?: boolean }) {
  const { text, minRows, isMono = false, onType } = props;
  return (
    <TextArea
      {...around(props)}
      value={text}
      minRows={minRows}
      maxRows={14}
      spellCheck={false}
      autoComplete="off"
      inputClassName={isMono ? typography.mono : undefined}
      onChange={(event) => onType(event.currentTarget.value)}
    />
  );
}
