import { X } from 'lucide-react'
import { type ReactNode, useEffect, useId, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Button, IconButton } from './Button.tsx'
import { cx } from './cx.ts'
import { LayerContext } from './layer.ts'

/**
 * The browser's own modal dialog: it keeps the focus, closes on Esc and makes the rest inert, with nothing injected into the
 * page. Its content exists only while it is open, so what was typed into it is gone with it.
 */
export function useModal(open: boolean, onClose: () => void, stayOnOutsideClick = false) {
  const ref = useRef<HTMLDialogElement>(null)
  const [layer, setLayer] = useState<HTMLElement | null>(null)
  useEffect(() => setLayer(ref.current), [])
  useEffect(() => {
    const dialog = ref.current
    if (!dialog) return
    if (open && !dialog.open) {
      dialog.showModal()
      // The first thing to fill in, else the dialog itself: the browser would take the close button, whose tip would then take the
      // first Esc. A field for files is hidden behind its button.
      const first = dialog.querySelector<HTMLElement>('input:not([type="file"]), select, textarea')
      ;(first ?? dialog).focus()
    }
    if (!open && dialog.open) dialog.close()
  }, [open])
  // A click on the shade is for the mouse alone: Esc does the same for the keyboard.
  useEffect(() => {
    const dialog = ref.current
    if (!dialog || !open || stayOnOutsideClick) return
    const outside = (event: MouseEvent) => {
      if (event.target === dialog) onClose()
    }
    dialog.addEventListener('click', outside)
    return () => dialog.removeEventListener('click', outside)
  }, [open, onClose, stayOnOutsideClick])
  const props = {
    ref,
    tabIndex: -1,
    onCancel: (event: { preventDefault(): void }) => {
      event.preventDefault()
      onClose()
    },
    // A dialog that its owner has shut already tells nobody: what its owner shows instead would be shut with it.
    onClose: open ? onClose : undefined,
  }
  return { props, layer }
}

export interface DialogProps {
  open: boolean
  onClose: () => void
  title: string
  /** What it is for or what will happen, under the title. */
  about?: ReactNode
  width?: 'narrow' | 'wide'
  /** A secret that is shown once must not vanish with a stray click beside the dialog. */
  stayOnOutsideClick?: boolean
  /** A question that must be answered before anything else: screen readers then say its text at once. */
  alert?: boolean
  children?: ReactNode
  footer?: ReactNode
}

export function Dialog({
  open,
  onClose,
  title,
  about,
  width = 'narrow',
  stayOnOutsideClick,
  alert = false,
  children,
  footer,
}: DialogProps) {
  const id = useId()
  const { t } = useTranslation('common')
  const { props: modal, layer } = useModal(open, onClose, stayOnOutsideClick)
  return (
    <dialog
      {...modal}
      role={alert ? 'alertdialog' : undefined}
      aria-labelledby={id}
      aria-describedby={about ? `${id}about` : undefined}
      className={cx(
        'm-auto outline-none max-h-[calc(100vh-48px)] w-[calc(100vw-32px)] overflow-y-auto rounded-l bg-raise p-0 text-ink',
        'shadow-[0_0_0_1px_var(--line-strong),var(--lift-large)] open:animate-appear',
        width === 'narrow' ? 'max-w-[440px]' : 'max-w-[640px]',
      )}
    >
      {open && (
        <LayerContext value={layer}>
          <div className="flex flex-col gap-4 p-5">
            <header className="flex items-start gap-3">
              <div className="min-w-0 flex-1">
                <h2 id={id} className="font-semibold text-l tracking-[-.01em]">
                  {title}
                </h2>
                {about && (
                  <div id={`${id}about`} className="mt-1 text-soft">
                    {about}
                  </div>
                )}
              </div>
              <IconButton icon={X} size="small" label={t('close')} onClick={onClose} />
            </header>
            {children}
            {footer && <footer className="flex flex-wrap justify-end gap-2">{footer}</footer>}
          </div>
        </LayerContext>
      )}
    </dialog>
  )
}

export interface ConfirmDialogProps {
  open: boolean
  onClose: () => void
  title: string
  about: ReactNode
  /** Names the deed: "Revoke", never "OK". */
  confirm: string
  busy?: boolean
  onConfirm: () => void
  children?: ReactNode
}

/** Asks before something that can't be taken back. */
export function ConfirmDialog({ confirm, busy, onConfirm, children, ...dialog }: ConfirmDialogProps) {
  const { t } = useTranslation('common')
  return (
    <Dialog
      {...dialog}
      footer={
        <>
          <Button onClick={dialog.onClose}>{t('cancel')}</Button>
          <Button look="danger" busy={busy ?? false} onClick={onConfirm}>
            {confirm}
          </Button>
        </>
      }
    >
      {children}
    </Dialog>
  )
}

/** A region of the window that slides over the stage where there is no room beside it. */
export function Drawer(props: {
  open: boolean
  onClose: () => void
  side: 'left' | 'right'
  label: string
  children: ReactNode
}) {
  const { props: modal, layer } = useModal(props.open, props.onClose)
  return (
    <dialog
      {...modal}
      aria-label={props.label}
      className={cx(
        'm-0 outline-none h-full max-h-none max-w-[86vw] overflow-hidden bg-panel p-0 text-ink shadow-large',
        props.side === 'left' ? 'w-[288px] open:animate-slide-left' : 'ms-auto w-[304px] open:animate-slide-right',
      )}
    >
      {props.open && (
        <LayerContext value={layer}>
          <div className="flex h-full flex-col">{props.children}</div>
        </LayerContext>
      )}
    </dialog>
  )
}
