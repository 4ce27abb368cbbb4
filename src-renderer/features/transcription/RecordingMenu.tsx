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
      <MenuItem icon={PenLine} onSelect={() => useNaming.setState({ id })}>
        {t('rename')}
      </MenuItem>
      {mediaId !== null && (
        <>
          <MenuItem icon={Download} onSelect={() => void saveAudio(id)}>
            {t('saveAudio')}
          </MenuItem>
          <MenuItem icon={FolderOpen} onSelect={() => void reveal(mediaId)}>
            {t('reveal')}
          </MenuItem>
        </>
      )}
      <MenuLine />
      <MenuItem icon={Trash2} danger onSelect={() => void removeRecordings([id])}>
        {t('remove')}
      </MenuItem>
    </Menu>
  )
}

async function reveal(mediaId: string): Promise<void> {
  const done = await attempt((core) => core.media.reveal({ mediaId }))
  if (done && !done.shown) say('revealed', i18n.t('transcribe:revealed', { path: done.path }))
}
