// Mantine's side of the visual language: components look as `look/` says, colours come from tokens.css.
// No component is imported here: that would put all of them into the first load.
import { createTheme, type CSSVariablesResolver, type MantineColorSchemeManager } from '@mantine/core';
import { createElement } from 'react';
import { chooseScheme, chosenScheme, onSchemeChange } from '#pwa/ui/frame/color-scheme.ts';
import { Icon } from '#pwa/ui/controls/icon.tsx';
import typography from '#pwa/ui/styles/typography.module.css';
import styles from './theme.module.css';

let stopFollowing: (() => void) | undefined;
/** The choice is the console's; the library follows it. */
export const colorSchemeManager: MantineColorSchemeManager = {
  get: chosenScheme,
  set: chooseScheme,
  subscribe: (onUpdate) => {
    stopFollowing = onSchemeChange(() => onUpdate(chosenScheme()));
  },
  unsubscribe: () => stopFollowing?.(),
  clear: () => chooseScheme('auto'),
};

const input = {
  classNames: {
    input: styles.input,
    label: `${typography.small} ${styles.label}`,
    description: `${typography.note} ${styles.description}`,
    error: `${typography.small} ${styles.error}`,
    section: typography.muted,
  },
};
const dropdown = { shadow: 'none', radius: 'md', transitionProps: { duration: 0 } } as const;
const opensList = {
  comboboxProps: dropdown,
  rightSection: createElement(Icon, { name: 'down' }),
  rightSectionPointerEvents: 'none',
} as const;

export const theme = createTheme({
  colors: {
    tide: ['#eef9fa', '#dbf2f3', '#c0e7e8', '#9acfd2', '#6bb6ba', '#3a9da2', '#0c8186', '#006a6e', '#02575b', '#004144'],
    gray: ['#f3f7f8', '#eaf1f1', '#d9e1e2', '#c2cdcd', '#a5b2b2', '#8a9595', '#738485', '#566768', '#3a4b4c', '#112122'],
    dark: ['#e7eeef', '#b5c0c1', '#94a2a2', '#708181', '#3b4849', '#273232', '#1c2626', '#141d1d', '#0f1717', '#0c1212'],
  },
  primaryColor: 'tide',
  primaryShade: { light: 7, dark: 6 },
  white: '#ffffff',
  black: '#112122',
  fontFamily: 'var(--font)',
  fontFamilyMonospace: 'var(--font-mono)',
  headings: { fontWeight: '600' },
  defaultRadius: 'sm',
  radius: { xs: '3px', sm: '6px', md: '10px', lg: '16px' },
  spacing: { xs: '4px', sm: '8px', md: '12px', lg: '16px', xl: '24px' },
  fontSizes: { xs: '12px', sm: '13px', md: '15px', lg: '17px', xl: '20px' },
  fontWeights: { regular: '400', medium: '600', bold: '600' },
  cursorType: 'pointer',
  focusClassName: styles.focus,
  respectReducedMotion: true,
  components: {
    Button: {
      defaultProps: { variant: 'default' },
      classNames: { root: styles.button, label: styles.buttonLabel, section: styles.buttonSection },
    },
    ActionIcon: { defaultProps: { variant: 'subtle' }, classNames: { root: styles.actionIcon } },
    TextInput: input,
    PasswordInput: {
      classNames: { ...input.classNames, input: styles.input, innerInput: styles.innerInput, visibilityToggle: styles.actionIcon },
    },
    NumberInput: { defaultProps: { hideControls: true }, ...input },
    Textarea: { classNames: { ...input.classNames, input: styles.textarea } },
    Select: {
      // Enter takes the first that is left of what was typed.
      defaultProps: {
        ...opensList,
        selectFirstOptionOnChange: true,
        withCheckIcon: true,
        checkIconPosition: 'right',
        allowDeselect: false,
      },
      classNames: { ...input.classNames, dropdown: styles.dropdown, option: styles.option },
    },
    Autocomplete: { defaultProps: opensList, classNames: { ...input.classNames, dropdown: styles.dropdown, option: styles.option } },
    MultiSelect: {
      defaultProps: { ...opensList, hidePickedOptions: false },
      classNames: { ...input.classNames, input: styles.pillsBox, dropdown: styles.dropdown, option: styles.option, pill: styles.pill },
    },
    TagsInput: {
      defaultProps: { comboboxProps: dropdown },
      classNames: { ...input.classNames, input: styles.pillsBox, dropdown: styles.dropdown, option: styles.option, pill: styles.pill },
    },
    Checkbox: {
      defaultProps: { color: 'tide', size: 'xs', radius: 'xs' },
      classNames: { body: styles.checkBody, labelWrapper: styles.checkWrapper, input: styles.checkbox, label: styles.checkLabel },
    },
    Radio: {
      defaultProps: { color: 'tide', size: 'xs' },
      classNames: { body: styles.checkBody, labelWrapper: styles.checkWrapper, radio: styles.checkbox, label: styles.checkLabel },
    },
    Switch: {
      defaultProps: { color: 'tide', size: 'sm', withThumbIndicator: false },
      classNames: { body: styles.checkBody, labelWrapper: styles.checkWrapper, track: styles.track, label: styles.checkLabel },
    },
    Table: { defaultProps: { verticalSpacing: 0, stickyHeader: true } },
    Paper: { defaultProps: { withBorder: false, radius: 0 } },
    Card: { defaultProps: { withBorder: false, radius: 0 } },
    Menu: {
      defaultProps: dropdown,
      classNames: {
        dropdown: styles.dropdown,
        item: styles.option,
        label: `${typography.note} ${styles.menuLabel}`,
        divider: styles.divider,
      },
    },
    Popover: { defaultProps: dropdown, classNames: { dropdown: styles.dropdown } },
    Tooltip: { defaultProps: { transitionProps: { duration: 0 } }, classNames: { tooltip: `${typography.small} ${styles.tooltip}` } },
    Tabs: { defaultProps: { variant: 'none' }, classNames: { list: styles.seg, tab: styles.segItem } },
    SegmentedControl: {
      defaultProps: { withItemsBorders: false, transitionDuration: 0 },
      classNames: { root: styles.seg, label: styles.segLabel, indicator: styles.segIndicator },
    },
    Skeleton: { defaultProps: { animate: false, radius: 'xs' }, classNames: { root: styles.skeleton } },
    Loader: { defaultProps: { type: 'oval', size: 16 } },
  },
});

const variables = {
  '--mantine-color-body': 'var(--bg)',
  '--mantine-color-text': 'var(--ink)',
  '--mantine-color-bright': 'var(--ink)',
  '--mantine-color-default-color': 'var(--ink)',
  '--mantine-color-dimmed': 'var(--ink-3)',
  '--mantine-color-placeholder': 'var(--ink-3)',
  '--mantine-color-anchor': 'var(--tide-ink)',
  '--mantine-color-error': 'var(--bad)',
  '--mantine-color-success': 'var(--good)',
  '--mantine-color-default': 'var(--raised)',
  '--mantine-color-default-hover': 'var(--hover)',
  '--mantine-color-default-border': 'var(--line-strong)',
  '--mantine-color-disabled': 'var(--sunken)',
  '--mantine-color-disabled-color': 'var(--ink-3)',
  '--mantine-color-disabled-border': 'var(--line)',
  '--mantine-color-tide-filled': 'var(--tide)',
  '--mantine-color-tide-filled-hover': 'var(--tide-hover)',
  '--mantine-color-tide-light': 'var(--tide-soft)',
  '--mantine-color-tide-light-hover': 'var(--tide-line)',
  '--mantine-color-tide-light-color': 'var(--tide-ink)',
  '--mantine-color-tide-text': 'var(--tide-ink)',
  '--mantine-color-tide-outline': 'var(--tide-ink)',
  '--mantine-primary-color-contrast': 'var(--on-tide)',
  '--mantine-line-height-xs': 'var(--lh-xs)',
  '--mantine-line-height-sm': 'var(--lh-sm)',
  '--mantine-line-height-md': 'var(--lh-md)',
  '--mantine-line-height-lg': 'var(--lh-lg)',
  '--mantine-line-height-xl': 'var(--lh-xl)',
};

/** The same map for both schemes: the tokens themselves switch. In `variables`, Mantine's own scheme rules would win. */
export const cssVariablesResolver: CSSVariablesResolver = () => ({ variables: {}, light: variables, dark: variables });
