import { type ComponentType, lazy, type ReactNode, Suspense } from 'react';
import { Pending } from './later.tsx';

/**
 * A part of a screen that is loaded when it is first drawn: an editor with its fields, a dialog. The list is there at
 * once. `const TokenPanel = lazyPart(() => import('./token-panel.tsx'), (part) => part.TokenPanel)`.
 */
export function lazyPart<Module, Props extends object>(
  load: () => Promise<Module>,
  pick: (part: Module) => ComponentType<Props>,
  /** Placeholder while the part loads. */
  space: ReactNode = null,
) {
  const Part = lazy(async () => ({ default: pick(await load()) }));
  return function LazyPart(props: Props): ReactNode {
    return (
      <Suspense
        fallback={
          <>
            {space}
            <Pending />
          </>
        }
      >
        <Part {...props} />
      </Suspense>
    );
  };
}
