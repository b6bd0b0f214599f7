import { Button, type ButtonProps } from '@mantine/core';
import type { MouseEventHandler, ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { Icon } from '#pwa/ui/controls/icon.tsx';
import { useIsOnline } from './online-status.tsx';

export interface OnlineButtonProps extends Omit<ButtonProps, 'children' | 'leftSection' | 'type'> {
  label: string;
  /** What stands before the label while there is a connection. */
  icon?: ReactNode;
  type?: 'button' | 'submit';
  /** The form that it sends, where it stands outside of it. */
  form?: string;
  'data-danger'?: boolean;
  onClick?: MouseEventHandler<HTMLButtonElement>;
}

/** A button for what cannot be done without a connection: then it stays in sight, cannot be pressed and says why. */
export function OnlineButton({ label, icon, disabled = false, ...button }: OnlineButtonProps) {
  const isOnline = useIsOnline();
  const needs = useNeedsConnection();
  return (
    <Button {...button} disabled={disabled || !isOnline} leftSection={isOnline ? icon : <Icon name="unlinked" />}>
      {needs(label)}
    </Button>
  );
}

/** Labels of actions: without a connection they say that they need one. */
export function useNeedsConnection(): (action: string) => string {
  const { t } = useTranslation();
  const isOnline = useIsOnline();
  return (action) => (isOnline ? action : t('common.action.needs_connection', { action }));
}
