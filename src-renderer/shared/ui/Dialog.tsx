import { X } from 'lucide-react'
import { type ReactNode, useEffect, useId, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Button, IconButton } from './Button.tsx'
import { cx } from './cx.ts'
import { LayerContext } from './layer.ts'
import { leaveDialog } from './returnFocus.ts'

/**
 * Shows the browser's own modal dialog, which needs no injected styles. The browser traps the focus, closes the dialog on Escape and makes
 * the rest of the page inert.
 * The content is mounted only while open, so typed text is discarded on closing. `leaveDialog` says where the focus is then.
 * @param focusesItself the dialog gets the focus, not its first field
 */
export function useModal(open: boolean, onClose: () => void, stayOnOutsideClick = false, focusesItself = false) {
  const ref = useRef<HTMLDialogElement>(null)
  const [layer, setLayer] = useState<HTMLElement | null>(null)
  useEffect(() => setLayer(ref.current), [])
  useEffect(() => {
    const dialog = ref.current
    if (!dialog) return
    if (open && !dialog.open) {
      // Focuses the field that the content chose with `data-first`, or the first field, otherwise the dialog. The browser would focus the close
      // button, whose tooltip would take the first Escape. Skips file inputs, which are hidden behind a button.
      const first = focusesItself
        ? dialog
        : (dialog.querySelector<HTMLElement>('[data-first]') ??
          dialog.querySelector<HTMLElement>('input:not([type="file"]), select, textarea') ??
          dialog)
      // As `showModal` focuses it, the styles of the page, which may be long, are computed once and not twice.
      first.setAttribute('autofocus', '')
      dialog.showModal()
      first.removeAttribute('autofocus')
      if (document.activeElement !== first) first.focus()
    }
    if (!open && dialog.open) {
      dialog.close()
      leaveDialog()
    }
  }, [open, focusesItself])
  // Clicking the backdrop is for the mouse only. Escape does the same on the keyboard.
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
    // The browser reports a closing later, in a task of its own. No callback when the owner has closed the dialog, because the callback would
    // close the owner's next dialog, or this one if it is open again.
    onClose: () => {
      if (open && !ref.current?.open) onClose()
    },
  }
  return { props, layer }
}

export interface DialogProps {
  open: boolean
  onClose: () => void
  title: string
  /** The purpose or the consequences, below the title. */
  about?: ReactNode
  /** `resizable`: the person drags its corner. `full`: as large as the window allows. The content of both fills the height. */
  width?: 'narrow' | 'wide' | 'resizable' | 'full'
  /** Ignores clicks beside the dialog, for example while it shows a secret that is shown only once. */
  stayOnOutsideClick?: boolean
  /** Whether the dialog is an alert dialog, whose text screen readers read immediately. */
  alert?: boolean
  children?: ReactNode
  footer?: ReactNode
}

const widths = {
  narrow: 'w-[calc(100vw-32px)] max-w-[440px] overflow-y-auto',
  wide: 'w-[calc(100vw-32px)] max-w-[640px] overflow-y-auto',
  resizable:
    'h-[680px] min-h-80 w-[min(820px,calc(100vw-32px))] min-w-[min(320px,calc(100vw-32px))] max-w-[calc(100vw-32px)] resize overflow-hidden',
  full: 'h-[calc(100vh-48px)] w-[calc(100vw-32px)] max-w-none overflow-hidden',
} as const

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
        'm-auto outline-none max-h-[calc(100vh-48px)] rounded-l bg-raise p-0 text-ink',
        'shadow-[0_0_0_1px_var(--line-strong),var(--lift-large)] open:animate-appear',
        widths[width],
      )}
    >
      {open && (
        <LayerContext value={layer}>
          <div className={cx('flex flex-col gap-4 p-5', (width === 'resizable' || width === 'full') && 'h-full')}>
            {/* No <header> or <footer>, which would be a banner and an end of page for screen readers. */}
            <div className="flex items-start gap-3">
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
            </div>
            {children}
            {footer && <div className="flex flex-wrap justify-end gap-2">{footer}</div>}
          </div>
        </LayerContext>
      )}
    </dialog>
  )
}

/** A wide dialog with a form. A click beside it does not close it, because that would lose the typed text. */
export const FormDialog = (props: Omit<DialogProps, 'width' | 'stayOnOutsideClick'>) => (
  <Dialog {...props} width="wide" stayOnOutsideClick />
)

export interface ConfirmDialogProps {
  open: boolean
  onClose: () => void
  title: string
  about: ReactNode
  /** Names the action: "Revoke", never "OK". */
  confirm: string
  busy?: boolean
  onConfirm: () => void
  children?: ReactNode
}

/** Asks before an action that cannot be undone. */
export function ConfirmDialog({ confirm, busy, onConfirm, children, ...dialog }: ConfirmDialogProps) {
  const { t } = useTranslation('common')
  return (
    <Dialog
      {...dialog}
      footer={
        <>
          <Button onClick={dialog.onClose}>{t('cancel')}</Button>
          <Button variant="danger" busy={busy ?? false} onClick={onConfirm}>
            {confirm}
          </Button>
        </>
      }
    >
      {children}
    </Dialog>
  )
}

/**
 * A region of the window that slides over the stage when there is no space beside it. No question, so commands work in it. On the right it
 * takes the focus itself: text that is meant for the message must not become a setting, such as the instructions.
 */
export function Drawer(props: {
  open: boolean
  onClose: () => void
  side: 'left' | 'right'
  label: string
  children: ReactNode
}) {
  const { props: modal, layer } = useModal(props.open, props.onClose, false, props.side === 'right')
  return (
    <dialog
      {...modal}
      data-drawer
      aria-label={props.label}
      className={cx(
        'm-0 outline-none h-full max-h-none max-w-[86vw] overflow-hidden bg-panel p-0 text-ink shadow-large',
        props.side === 'left'
          ? 'w-[18rem] max-w-full open:animate-slide-left'
          : 'ms-auto w-[19rem] max-w-full open:animate-slide-right',
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
