import { Paperclip } from 'lucide-react'
import { useEffect, useState } from 'react'
import { createPortal } from 'react-dom'
import { useTranslation } from 'react-i18next'
import { composerField } from '../../../shared/composerField.ts'
import { Button } from '../../../shared/ui/Button.tsx'
import { Dialog } from '../../../shared/ui/Dialog.tsx'
import { dragsFiles } from '../../../shared/ui/useFileDrop.ts'
import { useStage } from '../../../stores/chatPage.ts'
import { addFiles } from '../documents/addFiles.ts'
import { importFiles } from '../list/transfers.ts'

type Over = 'page' | 'list' | null

const listOf = (target: EventTarget | null): Element | null =>
  target instanceof Element ? target.closest('.chat-list') : null

/** A dialog takes no files by itself. On a narrow window, the list is one. */
const behindDialog = (target: EventTarget | null): boolean =>
  document.querySelector('dialog[open]') !== null && listOf(target) === null

const isArchive = ({ name, type }: File): boolean =>
  /\.(?:zip|json)$/i.test(name) || type === 'application/zip' || type === 'application/json'

/**
 * Attaches files that are dropped anywhere on the page of chats to the message in the composer. Places inside that take files themselves,
 * such as those of a project, come first.
 */
export function DropPlace() {
  const { t } = useTranslation('composer')
  const [over, setOver] = useState<Over>(null)
  useEffect(() => {
    const drag = (event: DragEvent): void => {
      const takes = dragsFiles(event) && !event.defaultPrevented && !behindDialog(event.target)
      setOver(takes ? (listOf(event.target) ? 'list' : 'page') : null)
      if (!takes || !event.dataTransfer) return
      event.preventDefault()
      event.dataTransfer.dropEffect = 'copy'
    }
    // Without a related target, the drag has left the window.
    const leave = ({ relatedTarget }: DragEvent): void => void (relatedTarget === null && setOver(null))
    const drop = (event: DragEvent): void => {
      setOver(null)
      if (!dragsFiles(event) || event.defaultPrevented || behindDialog(event.target)) return
      event.preventDefault()
      const files = [...(event.dataTransfer?.files ?? [])]
      if (listOf(event.target) && files.some(isArchive))
        useStage.setState({ dialog: { kind: 'droppedArchive', files } })
      else attach(files)
    }
    const ended = new AbortController()
    const { signal } = ended
    document.addEventListener('dragover', drag, { signal })
    document.addEventListener('dragleave', leave, { signal })
    document.addEventListener('drop', drop, { signal })
    return () => ended.abort()
  }, [])
  return (
    <>
      {over !== null &&
        createPortal(
          <div className="composer-over">
            <p>
              <Paperclip aria-hidden /> {t(over === 'list' ? 'dropOnList' : 'dropHere')}
            </p>
          </div>,
          document.body,
        )}
      <ImportOrAttach />
    </>
  )
}

function attach(files: readonly File[]): void {
  addFiles(files)
  composerField()?.focus()
}

/** Asks what to do with an archive that was dropped on the list of chats. */
function ImportOrAttach() {
  const { t } = useTranslation('composer')
  const dropped = useStage(({ dialog }) => (dialog?.kind === 'droppedArchive' ? dialog.files : null))
  const close = (): void => useStage.setState({ dialog: null })
  const choose = (act: (files: readonly File[]) => void) => () => {
    close()
    if (dropped) act(dropped)
  }
  const importArchives = (files: readonly File[]): void => {
    const others = files.filter((file) => !isArchive(file))
    if (others.length > 0) addFiles(others)
    void importFiles(files.filter(isArchive))
  }
  return (
    <Dialog
      open={dropped !== null}
      onClose={close}
      title={t('importOrAttach')}
      about={t('importOrAttachAbout', { name: dropped?.find(isArchive)?.name ?? '' })}
      footer={
        <>
          <Button onClick={choose((files) => requestAnimationFrame(() => attach(files)))}>{t('attachFile')}</Button>
          <Button variant="primary" onClick={choose(importArchives)}>
            {t('importFile')}
          </Button>
        </>
      }
    />
  )
}
