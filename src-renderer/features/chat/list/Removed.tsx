import { RotateCcw, Trash2 } from 'lucide-react'
import { useCallback, useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Virtualizer } from 'virtua'
import type { RemovedConversation } from '../../../../src-preload/contract/library.ts'
import { showDay } from '../../../i18n/format.ts'
import { Button, IconButton } from '../../../shared/ui/Button.tsx'
import { ConfirmDialog } from '../../../shared/ui/Dialog.tsx'
import { useLibrary } from '../../../stores/library.ts'
import { attempt } from '../client.ts'
import { restoreChats } from './actions.ts'
import { withdrawUndo } from './undo.tsx'

/** Deleted chats that can be restored, newest first. */
export function Removed() {
  const { t } = useTranslation('library')
  const count = useLibrary((store) => store.removed)
  const [all, setAll] = useState<readonly RemovedConversation[] | null>(null)
  const [asking, setAsking] = useState<readonly RemovedConversation[]>([])
  const read = useCallback(async () => {
    const found = await attempt((client) => client.library.listDeleted())
    if (found) setAll(found.conversations)
  }, [])
  // The number changes when chats are deleted, restored or permanently deleted, in this or another window.
  // biome-ignore lint/correctness/useExhaustiveDependencies: see above
  useEffect(() => void read(), [count, read])

  const restore = async (one: RemovedConversation): Promise<void> => {
    await restoreChats([one.id])
    await read()
  }
  const erase = async (): Promise<void> => {
    const ids = asking.map(({ id }) => id)
    setAsking([])
    if (await attempt((client) => client.library.deletePermanently({ ids }))) withdrawUndo(ids)
    await read()
  }
  const [only] = asking
  if (all === null) return <p className="chat-list-note">{t('loading')}</p>
  if (all.length === 0) return <p className="chat-list-note">{t('removedEmpty')}</p>
  return (
    <>
      <div className="list-removed-head">
        <span>{t('removedAbout')}</span>
        <Button size="small" variant="danger" onClick={() => setAsking(all)}>
          {t('eraseAll')}
        </Button>
      </div>
      {/* biome-ignore lint/a11y/useSemanticElements: a virtual list wraps each item in its own element, which a ul does not allow */}
      <div role="list" className="chat-rows overflow-y-auto" aria-label={t('removedTitle')}>
        <Virtualizer data={all}>
          {(one: RemovedConversation) => (
            <RemovedRow key={one.id} one={one} onRestore={() => void restore(one)} onErase={() => setAsking([one])} />
          )}
        </Virtualizer>
      </div>
      <ConfirmDialog
        open={only !== undefined}
        onClose={() => setAsking([])}
        title={
          asking.length === 1
            ? t('eraseTitle', { title: only?.title ?? t('untitled') })
            : t('eraseAllTitle', { count: asking.length })
        }
        about={t('eraseAbout')}
        confirm={t('eraseDo')}
        onConfirm={() => void erase()}
      />
    </>
  )
}

function RemovedRow(props: { one: RemovedConversation; onRestore: () => void; onErase: () => void }) {
  const { t } = useTranslation('library')
  const { title, messages, erasedAt } = props.one
  const name = title ?? t('untitled')
  return (
    // biome-ignore lint/a11y/useSemanticElements: see the list above
    <div role="listitem" className="chat-row list-removed">
      <div className="list-removed-text">
        <b dir="auto">{name}</b>
        <span>{t('removedLine', { count: messages, when: showDay(erasedAt) })}</span>
      </div>
      <IconButton icon={RotateCcw} size="small" label={t('restoreOf', { title: name })} onClick={props.onRestore} />
      <IconButton icon={Trash2} size="small" label={t('eraseOf', { title: name })} onClick={props.onErase} />
    </div>
  )
}
