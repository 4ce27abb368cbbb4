import './projects.css'
import { useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { ChatParams } from '../../../../src-preload/contract/chat.ts'
import type { Folder } from '../../../../src-preload/contract/library.ts'
import { defaultWholeTokens, maxWholeTokens } from '../../../../src-preload/contract/projects.ts'
import { ModelField } from '../../../shared/ModelField.tsx'
import { Button } from '../../../shared/ui/Button.tsx'
import { Dialog } from '../../../shared/ui/Dialog.tsx'
import { Field, TextInput } from '../../../shared/ui/Field.tsx'
import { Form } from '../../../shared/ui/Form.tsx'
import { TextArea } from '../../../shared/ui/TextArea.tsx'
import { useApp } from '../../../stores/app.ts'
import { useList } from '../../../stores/chatList.ts'
import { useLibrary } from '../../../stores/library.ts'
import { paramNames } from '../inspector/parameterNames.ts'
import { closeListDialog, makeFolder, saveFolder, showProject } from '../list/actions.ts'
import { useChatTranslate } from '../messages.ts'
import { type NumberSpec, numberSpecs, readNumber } from '../params.ts'
import { NewProjectFiles, ProjectFiles } from './ProjectFiles.tsx'
import { addPinned } from './pinning.ts'

const close = (): void => closeListDialog('folder', 'editFolder')

/** A new project, for chats or empty, or the settings of a project. */
export function ProjectDialog() {
  const { t } = useTranslation('library')
  const dialog = useList((store) => store.dialog)
  const folders = useLibrary((store) => store.folders)
  const shown = dialog?.show === 'folder' || dialog?.show === 'editFolder' ? dialog.show : null
  const folder = dialog?.show === 'editFolder' ? folders.find(({ id }) => id === dialog.id) : undefined
  return (
    <Dialog
      open={shown !== null}
      onClose={close}
      width="wide"
      title={folder ? t('folderSettingsOf', { name: folder.name }) : t('folderTitle')}
      about={folder ? undefined : t('folderAbout')}
    >
      {shown && <ProjectForm key={folder?.id} folder={folder} ids={dialog?.show === 'folder' ? dialog.ids : []} />}
    </Dialog>
  )
}

/** Number fields of the form as typed, by parameter. */
type TypedNumbers = Partial<Record<NumberSpec['name'], string>>

const typedOf = (params: ChatParams): TypedNumbers =>
  Object.fromEntries(
    numberSpecs.flatMap(({ name }) => (params[name] === undefined ? [] : [[name, String(params[name])]])),
  )

/** The parameters with the typed numbers. Null: a number is invalid. */
function paramsOf(before: ChatParams, typed: TypedNumbers): ChatParams | null {
  const params: ChatParams = { ...before }
  for (const spec of numberSpecs) {
    const read = readNumber(typed[spec.name] ?? '', spec)
    if ('fault' in read) return null
    if (read.value === undefined) delete params[spec.name]
    else params[spec.name] = read.value
  }
  return params
}

function wholeTokensOf(typed: string): number | null {
  const tokens = Number(typed.trim())
  return /^\d+$/.test(typed.trim()) && tokens <= maxWholeTokens ? tokens : null
}

const orNull = <T,>(value: T, isEmpty: boolean): T | null => (isEmpty ? null : value)

/** Opens the part of the form with an invalid number, and focuses its field. */
function showFault(part: HTMLDetailsElement | null): void {
  if (!part) return
  part.open = true
  part.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus()
}

function ProjectForm({ folder, ids }: { folder: Folder | undefined; ids: readonly string[] }) {
  const { t } = useTranslation(['library', 'common', 'projects'])
  const tChat = useChatTranslate()
  const [name, setName] = useState(folder?.name ?? '')
  const [model, setModel] = useState(folder?.model ?? null)
  const [instructions, setInstructions] = useState(folder?.instructions ?? '')
  const [numbers, setNumbers] = useState(() => typedOf(folder?.params ?? {}))
  const [whole, setWhole] = useState(String(folder?.wholeTokens ?? defaultWholeTokens))
  const [files, setFiles] = useState<readonly File[]>([])
  // A created project arrives a moment later. A second click until then must not create another one.
  const [isCreating, setCreating] = useState(false)
  const params = paramsOf(folder?.params ?? {}, numbers)
  const wholeTokens = wholeTokensOf(whole)
  const advanced = useRef<HTMLDetailsElement>(null)
  const save = async (): Promise<void> => {
    if (isCreating || name.trim() === '') return
    if (params === null || wholeTokens === null) return showFault(advanced.current)
    const defaults = {
      model,
      wholeTokens,
      instructions: orNull(instructions, instructions.trim() === ''),
      params: orNull(params, Object.keys(params).length === 0),
    }
    const wanted = name.trim()
    if (folder) {
      if (await saveFolder(folder.id, wanted, defaults)) close()
      return
    }
    setCreating(true)
    const id = await makeFolder(wanted, ids, defaults)
    if (id === null) return setCreating(false)
    if (files.length > 0) addPinned(id, files)
    close()
    // Chats that were moved into the project stay in view.
    if (ids.length === 0) showProject(id)
  }
  const inSettings = useApp(({ app }) => app?.settings.newChatModel ?? null)
  return (
    <Form className="flex flex-col gap-4" onSubmit={save}>
      <Field label={t('name')}>
        <TextInput value={name} maxLength={100} onChange={(event) => setName(event.target.value)} />
      </Field>
      <Field label={t('folderInstructions')} hint={t('folderInstructionsHint')}>
        <TextArea value={instructions} maxLength={100_000} onChange={(event) => setInstructions(event.target.value)} />
      </Field>
      {folder ? <ProjectFiles folder={folder} /> : <NewProjectFiles files={files} onChange={setFiles} />}
      <details ref={advanced} className="project-advanced">
        <summary>{tChat('advanced')}</summary>
        <div className="flex flex-col gap-4">
          <Field label={t('folderModel')}>
            <ModelField
              none={inSettings === null ? t('folderModelLast') : t('folderModelNone', { model: inSettings })}
              value={model}
              onPick={setModel}
            />
          </Field>
          <Field
            label={t('projects:wholeTokens')}
            hint={t('projects:wholeTokensHint')}
            error={wholeTokens === null ? t('projects:wholeTokensWrong', { most: maxWholeTokens }) : undefined}
          >
            <TextInput inputMode="numeric" value={whole} onChange={(event) => setWhole(event.target.value)} />
          </Field>
          <Numbers typed={numbers} onType={setNumbers} />
        </div>
      </details>
      <div className="sticky bottom-0 -mx-5 -mb-5 flex flex-wrap items-center justify-end gap-2 border-line border-t bg-raise px-5 py-3">
        <Button onClick={close}>{t('common:cancel')}</Button>
        <Button type="submit" variant="primary" disabled={name.trim() === ''}>
          {t(folder ? 'save' : 'create')}
        </Button>
      </div>
    </Form>
  )
}

function Numbers({ typed, onType }: { typed: TypedNumbers; onType: (typed: TypedNumbers) => void }) {
  const { t } = useTranslation('projects')
  const tChat = useChatTranslate()
  return (
    <fieldset className="project-params">
      <legend>{t('params')}</legend>
      {numberSpecs.map((spec) => {
        const { name, min, max } = spec
        const read = readNumber(typed[name] ?? '', spec)
        return (
          <Field
            key={name}
            label={tChat(paramNames[name])}
            error={'fault' in read ? tChat(`fault_${read.fault}`, { min, max }) : undefined}
          >
            <TextInput
              inputMode="decimal"
              placeholder={tChat('notSent')}
              value={typed[name] ?? ''}
              onChange={(event) => onType({ ...typed, [name]: event.target.value })}
            />
          </Field>
        )
      })}
    </fieldset>
  )
}
