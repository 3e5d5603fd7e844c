import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';

/** In front of everything; Esc closes it. The focus is then where it was. */
export function Dialog({ title, close, children }: { title: string; close: () => void; children: ComponentChildren }) {
  const frame = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    const dialog = frame.current;
    dialog?.showModal();
    return () => dialog?.close(); // gives the focus back
  }, []);
  return (
    <dialog
      ref={frame}
      aria-labelledby={id}
      onCancel={e => {
        e.preventDefault();
        close();
      }}
    >
      <header class="dialog-head">
        <h2 id={id}>{title}</h2>
        <button type="button" class="quiet" onClick={close}>
          Close
        </button>
      </header>
      {children}
    </dialog>
  );
}
