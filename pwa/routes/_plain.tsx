import { createFileRoute } from '@tanstack/react-router';
import { PlainFrame } from '#pwa/app/shell/plain-frame.tsx';

/** Sign-in, registration and set-up: one form, nothing around it. */
export const Route = createFileRoute('/_plain')({ component: PlainFrame });
