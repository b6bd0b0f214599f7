import { Button, Input, TextInput } from '@mantine/core';
import { useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { safePicture } from '#shared/links.ts';
import { Mark } from '#pwa/ui/controls/icon.tsx';
import layout from '#pwa/ui/styles/layout.module.css';
import { atBase } from '#pwa/ui/base-path.ts';
import { around, type ControlProps } from './control-props.ts';
import styles from './picture-control.module.css';
import { largestPictureFile, pictureText } from './picture-file.ts';

/** The logo: an address, or a picture from this device, and how it will look. */
export function PictureControl(props: ControlProps) {
  const { text, disabled, onType } = props;
  const { t } = useTranslation();
  const picker = useRef<HTMLInputElement>(null);
  const [problem, setProblem] = useState<string>();
  const isUploaded = text.startsWith('data:');
  const error = props.error ?? problem;

  function type(value: string): void {
    setProblem(undefined);
    onType(value);
  }
  async function handleFile(file: File | undefined): Promise<void> {
    if (file === undefined) return;
    const picture = file.size > largestPictureFile ? undefined : await pictureText(file);
    if (picture === undefined) setProblem(t('setting_parts.picture.broken', { name: file.name }));
    else type(picture);
  }
  return (
    <div className={layout.stackSm}>
      {isUploaded ? (
        <Input.Wrapper {...around({ ...props, error })}>
          <span className={styles.uploaded}>{t('settings.picture.uploaded', { size: Math.ceil((text.length * 3) / 4096) })}</span>
        </Input.Wrapper>
      ) : (
        <TextInput {...around({ ...props, error })} value={text} autoComplete="off" onChange={(event) => type(event.currentTarget.value)} />
      )}
      <div className={`${layout.row} ${layout.wrap}`}>
        <Preview address={safePicture(text)} />
        <Button disabled={disabled} onClick={() => picker.current?.click()}>
          {t('setting_parts.picture.upload')}
        </Button>
        {text !== '' && (
          <Button variant="subtle" data-danger disabled={disabled} onClick={() => type('')}>
            {t('setting_parts.picture.remove')}
          </Button>
        )}
        <input
          ref={picker}
          type="file"
          hidden
          accept="image/*"
          aria-label={t('setting_parts.picture.upload')}
          onChange={(event) => {
            void handleFile(event.currentTarget.files?.[0]);
            // The same file may be chosen again.
            event.currentTarget.value = '';
          }}
        />
      </div>
    </div>
  );
}

/** In the head of the console, in a tab and as an app. */
function Preview({ address }: { address: string | undefined }) {
  const { t } = useTranslation();
  const [broken, setBroken] = useState<string>();
  const picture = address === undefined || address === broken ? undefined : address;
  const draw = (size: number) =>
    picture === undefined ? (
      <Mark />
    ) : (
      <img src={picture} alt="" width={size} height={size} referrerPolicy="no-referrer" onError={() => setBroken(picture)} />
    );
  return (
    <span
      className={`${layout.row} ${layout.wrap} ${styles.preview}`}
      role="img"
      aria-label={t(address !== undefined && address === broken ? 'setting_parts.picture.missing' : 'setting_parts.picture.preview')}
    >
      <span className={styles.light}>{draw(20)}</span>
      <span className={styles.dark}>{draw(20)}</span>
      {/* Without a logo it is installed with the product's own icon. */}
      <span className={styles.app}>
        {picture === undefined ? <img src={atBase('/icon-192.png')} alt="" width={60} height={60} /> : draw(48)}
      </span>
      {address !== undefined && address === broken && <span className={styles.missing}>{t('setting_parts.picture.missing')}</span>}
    </span>
  );
}
