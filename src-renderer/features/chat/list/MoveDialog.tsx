import { Folder as FolderIcon, FolderMinus } from 'lucide-react'
import { type KeyboardEvent, useId, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { isComposing } from '../../../shared/isComposing.ts'
import { folded } from '../../../shared/looseText.ts'
import { Button } from '../../../shared/ui/Button.tsx'
import { Dialog } from '../../../shared/ui/Dialog.tsx'
import { Field, TextInput } from '../../../shared/ui/Field.tsx'
import { listStore, useList } from '../../../stores/chatList.ts'
import { useLibrary } from '../../../stores/library.ts'
import { closeListDialog, moveChats, titleOf } from './actions.ts'

const closeMove = (): void => closeListDialog('move')

/** Selects a folder for chats. Works by keyboard: type to find, arrows, Enter. */
export function MoveDialog() {
  const { t } = useTranslation('library')
  const dialog = useList((store) => store.dialog)
  const ids = dialog?.show === 'move' ? dialog.ids : []
  const title =
    ids.length === 1 ? t('moveOneTitle', { title: titleOf(ids[0] ?? '') }) : t('moveTitle', { count: ids.length })
  return (
    <Dialog
      open={dialog?.show === 'move'}
      onClose={closeMove}
      title={title}
      footer={<Button onClick={() => listStore.setState({ dialog: { show: 'folder', ids } })}>{t('newFolder')}</Button>}
    >
      <Folders
        onPick={(folderId) => {
          closeMove()
          void moveChats(ids, folderId)
        }}
      />
    </Dialog>
  )
}

function Folders({ onPick }: { onPick: (folderId: string | null) => void }) {
  const { t } = useTranslation('library')
  const folders = useLibrary((store) => store.folders)
  const [text, setText] = useState('')
  const [reached, setReached] = useState<number | null>(null)
  const at = reached ?? 0
  const list = useId()
  const wanted = folded(text.trim())
  const choices = [{ id: null, name: t('noFolder') }, ...folders].filter(({ name }) => folded(name).includes(wanted))
  const byKey = (event: KeyboardEvent): void => {
    if (isComposing(event)) return
    const picked = choices[at]
    if (event.key === 'Enter' && picked) onPick(picked.id)
    else if (event.key === 'ArrowDown') setReached(Math.min(choices.length - 1, at + 1))
    else if (event.key === 'ArrowUp') setReached(Math.max(0, at - 1))
    else return
    event.preventDefault()
  }
  return (
    <>
      <Field label={t('moveFind')} quietLabel>
        <TextInput
          role="combobox"
          aria-expanded
          aria-controls={list}
          // Before a person moves or types, screen readers would read the first folder in place of the field, and take its keys as theirs.
          aria-activedescendant={
            choices[at] && (reached !== null || text !== '') ? `${list}-${choices[at].id}` : undefined
          }
          placeholder={t('moveFind')}
          value={text}
          onChange={(event) => {
            setText(event.target.value)
            setReached(null)
          }}
          onKeyDown={byKey}
        />
      </Field>
      <div id={list} role="listbox" aria-label={t('folders')} className="max-h-72 overflow-y-auto">
        {choices.map(({ id, name }, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are handled in the field, which keeps the focus
          <div
            key={id ?? ''}
            id={`${list}-${id}`}
            role="option"
            tabIndex={-1}
            aria-selected={index === at}
            className="list-choice"
            ref={(element) => {
              if (index === at) element?.scrollIntoView({ block: 'nearest' })
            }}
            onClick={() => onPick(id)}
            onMouseMove={() => setReached(index)}
          >
            {id === null ? <FolderMinus aria-hidden size={15} /> : <FolderIcon aria-hidden size={15} />}
            <span className="min-w-0 truncate">{name}</span>
          </div>
        ))}
      </div>
      {choices.length === 0 && <p className="text-s text-soft">{t('noFolderMatch')}</p>}
    </>
  )
}
