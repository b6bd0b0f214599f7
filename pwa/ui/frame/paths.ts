import type { LinkProps } from '@tanstack/react-router';

/** The address of a screen, checked against the routes: a link that leads nowhere is a fault of types. */
export type Path = NonNullable<LinkProps['to']>;
