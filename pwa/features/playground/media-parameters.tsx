import { NumberInput, Select } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import type { ModelKind } from '#pwa/api/chat-models.ts';
import { useStoredUser } from '#pwa/api/self.ts';
import type { Conversation, MediaSettings } from '#pwa/offline/conversation.ts';
import { SwitchRow } from '#pwa/ui/form/switch-row.tsx';
import { Segments } from '#pwa/ui/controls/segments.tsx';
import layout from '#pwa/ui/styles/layout.module.css';
import typography from '#pwa/ui/styles/typography.module.css';
import { chooseSettings } from './conversations-state.ts';
import { canPreview, lengthsOf, mediaFor, mostOf, previews, qualitiesOf, sizesOf, videoOf, voices } from './media-settings.ts';
import styles from './parameters.module.css';
import { offeredModelsQuery } from './queries.ts';
import { videoSizes } from './video-sizes.ts';

interface MediaParametersProps {
  kind: Exclude<ModelKind, 'chat'>;
  model: string;
  settings: Conversation['settings'];
}

/** How pictures, speech, transcripts or videos are made; of each model what it takes. */
export function MediaParameters({ kind, model, settings }: MediaParametersProps) {
  const media = mediaFor(model, settings.media);
  const choose = (change: Partial<MediaSettings>): void => chooseSettings({ media: { ...media, ...change } });
  const Fields = { picture: PictureFields, speech: SpeechFields, transcript: TranscriptFields, video: VideoFields }[kind];
  return <Fields model={model} media={media} onChoose={choose} />;
}

interface FieldsProps {
  model: string;
  media: MediaSettings;
  onChoose: (change: Partial<MediaSettings>) => void;
}

function PictureFields({ model, media, onChoose }: FieldsProps) {
  const { t } = useTranslation();
  const own = t('playground.parameter.own_choice');
  const qualities = qualitiesOf(model);
  return (
    <>
      <Select
        label={t('playground.parameter.size')}
        allowDeselect={false}
        data={[{ value: 'own', label: own }, ...sizesOf(model).map((value) => ({ value, label: value.replace('x', ' × ') }))]}
        value={media.size || 'own'}
        onChange={(size) => onChoose({ size: size === null || size === 'own' ? '' : size })}
      />
      {qualities.length > 0 && (
        <Choice
          label={t('playground.parameter.quality')}
          value={media.quality}
          options={['', ...qualities].map((value) => ({ value, label: value === '' ? own : value }))}
          onChange={(quality) => onChoose({ quality })}
        />
      )}
      {canPreview(model, media) && (
        <SwitchRow
          label={t('playground.parameter.previewed')}
          description={t('playground.parameter.previewed_hint', { count: previews })}
          checked={media.isPreviewed === true}
          onChange={(event) => onChoose({ isPreviewed: event.currentTarget.checked })}
        />
      )}
      {mostOf(model) > 1 && (
        <Choice
          label={t('playground.parameter.count')}
          value={String(media.count)}
          options={Array.from({ length: mostOf(model) }, (_one, index) => ({ value: String(index + 1), label: String(index + 1) }))}
          onChange={(count) => onChoose({ count: Number(count) })}
        />
      )}
    </>
  );
}

function SpeechFields({ media, onChoose }: FieldsProps) {
  const { t } = useTranslation();
  return (
    <>
      <Select
        label={t('playground.parameter.voice')}
        allowDeselect={false}
        data={[...new Set([...voices, media.voice])]}
        value={media.voice}
        onChange={(voice) => onChoose({ voice: voice ?? 'alloy' })}
      />
      <NumberInput
        label={t('playground.parameter.speed')}
        min={0.25}
        max={4}
        step={0.25}
        decimalScale={2}
        suffix="×"
        value={media.speed}
        onChange={(value) => onChoose({ speed: typeof value === 'number' ? Math.min(4, Math.max(0.25, value)) : 1 })}
      />
    </>
  );
}

const languages = ['zh', 'en', 'ja', 'ko', 'es', 'fr', 'de', 'ru', 'pt', 'it', 'ar', 'hi'];

function TranscriptFields({ model, media, onChoose }: FieldsProps) {
  const { t, i18n } = useTranslation();
  const names = new Intl.DisplayNames([i18n.language], { type: 'language' });
  return (
    <>
      <Select
        label={t('playground.parameter.language')}
        allowDeselect={false}
        disabled={media.isTranslated}
        data={[
          { value: 'any', label: t('playground.parameter.any_language') },
          ...languages.map((value) => ({ value, label: names.of(value) ?? value })),
        ]}
        value={media.language || 'any'}
        onChange={(language) => onChoose({ language: language === null || language === 'any' ? '' : language })}
      />
      {/* Only one model does. */}
      {model.startsWith('whisper') && (
        <SwitchRow
          label={t('playground.parameter.translate')}
          checked={media.isTranslated}
          onChange={(event) => onChoose({ isTranslated: event.currentTarget.checked })}
        />
      )}
    </>
  );
}

const longestVideo = 60;

/** All that decides what it costs: nothing is left to the provider. */
function VideoFields({ model, media, onChoose }: FieldsProps) {
  const { t } = useTranslation();
  const user = useStoredUser();
  const { data: models } = useQuery(offeredModelsQuery(user?.id ?? 0));
  const price = models?.find(({ name }) => name === model)?.price;
  const { size, seconds } = videoOf(model, media);
  const sizes = videoSizes(model, price);
  const lengths = lengthsOf(model).toSorted((one, other) => one - other);
  return (
    <>
      <Select
        label={t('playground.parameter.size')}
        allowDeselect={false}
        data={[...new Set([...sizes, size])].map((value) => ({ value, label: value.replace('x', ' × ') }))}
        value={size}
        onChange={(value) => onChoose({ videoSize: value ?? '' })}
      />
      {lengths.length > 0 ? (
        <Choice
          label={t('playground.parameter.seconds')}
          value={String(seconds)}
          options={lengths.map((value) => ({ value: String(value), label: String(value) }))}
          onChange={(value) => onChoose({ seconds: Number(value) })}
        />
      ) : (
        <NumberInput
          label={t('playground.parameter.seconds')}
          min={1}
          max={longestVideo}
          allowDecimal={false}
          value={seconds}
          onChange={(value) => onChoose({ seconds: typeof value === 'number' ? Math.min(longestVideo, Math.max(1, value)) : 0 })}
        />
      )}
    </>
  );
}

interface ChoiceProps {
  label: string;
  value: string;
  options: readonly { value: string; label: string }[];
  onChange: (value: string) => void;
}

function Choice({ label, ...rest }: ChoiceProps) {
  return (
    <div className={layout.stackXs}>
      <span className={`${typography.small} ${styles.parameterName}`}>{label}</span>
      <Segments label={label} {...rest} />
    </div>
  );
}
