import { Download, Ellipsis, FolderOpen, PenLine, Trash2 } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import type { Recording } from '../../../src-preload/contract/transcription.ts'
import { i18n } from '../../i18n/index.ts'
import { IconButton } from '../../shared/ui/Button.tsx'
import { Menu, MenuItem, MenuLine } from '../../shared/ui/Menu.tsx'
import { removeRecordings, saveAudio } from './actions.ts'
import { attempt, say } from './client.ts'
import { useNaming } from './naming.ts'

/** The actions of a recording. */
export function RecordingMenu({ recording: { id, mediaId } }: { recording: Recording }) {
  const { t } = useTranslation('transcribe')
  return (
    <Menu trigger={<IconButton icon={Ellipsis} label={t('menu')} />}>
      <MenuItem icon={PenLine} label={t('rename')} onSelect={() => useNaming.setState({ id })} />
      {mediaId !== null && (
        <>
          <MenuItem icon={Download} label={t('saveAudio')} onSelect={() => void saveAudio(id)} />
          <MenuItem icon={FolderOpen} label={t('reveal')} onSelect={() => void reveal(mediaId)} />
        </>
      )}
      <MenuLine />
      <MenuItem icon={Trash2} danger label={t('remove')} onSelect={() => void removeRecordings([id])} />
    </Menu>
  )
}

async function reveal(mediaId: string): Promise<void> {
  const done = await attempt((core) => core.media.reveal({ mediaId }))
  if (done && !done.shown) say('revealed', i18n.t('transcribe:revealed', { path: done.path }))
}
