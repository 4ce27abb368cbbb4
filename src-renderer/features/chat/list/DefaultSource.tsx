import { useTranslation } from 'react-i18next'
import { useApp } from '../../../stores/app.ts'
import { useChat } from '../../../stores/chat.ts'
import { useLibrary } from '../../../stores/library.ts'
import { type Default, defaultsIn, useNewChat } from '../../../stores/newChat.ts'

/** The defaults in the folder of the open or new chat. */
function useDefaults() {
  const folders = useLibrary((store) => store.folders)
  const settings = useApp(({ app }) => app?.settings)
  const next = useNewChat((store) => store.folderId)
  const folderId = useChat(({ open }) => (open ? (open.conversation?.folderId ?? null) : next))
  return defaultsIn(
    folders.find(({ id }) => id === folderId),
    settings,
  )
}

/** The source of the open chat's model or instructions when they are a default, for example `From folder Work`. */
export function DefaultSource({ of, value }: { of: 'model' | 'instructions'; value: string | null }) {
  const { t } = useTranslation('library')
  const found: Default = useDefaults()[of]
  if (found === null || found.value !== value) return null
  const { source } = found
  return (
    <span className="chat-faint" dir="auto">
      {source.from === 'folder' ? t('fromFolder', { name: source.name }) : t('fromSettings')}
    </span>
  )
}

/** The model of the next message, when it is a default. */
export function DefaultModelFact() {
  const { t } = useTranslation('library')
  const model = useChat((state) => (state.compared.length > 1 ? null : state.model))
  const isDefault = useDefaults().model?.value === model
  if (!isDefault || model === null) return null
  return (
    <section aria-label={t('model')} className="chat-default-model">
      <h2>{t('model')}</h2>
      <p className="chat-clip" dir="auto">
        {model}
      </p>
      <DefaultSource of="model" value={model} />
    </section>
  )
}

/** The folder of the new chat. */
export function NewChatFolder() {
  const { t } = useTranslation('library')
  const id = useNewChat((store) => store.folderId)
  const folder = useLibrary(({ folders }) => folders.find((one) => one.id === id))
  return folder && <p dir="auto">{t('newChatFolder', { name: folder.name })}</p>
}
