import { ClipboardPaste, LibraryBig, Plus } from 'lucide-react'
import { useState } from 'react'
import type { McpServer } from '../../../../src-preload/contract/tools.ts'
import { useToolTranslate } from '../../../shared/toolMessages.ts'
import { Button } from '../../../shared/ui/Button.tsx'
import { Group } from '../Group.tsx'
import { GalleryDialog } from './GalleryDialog.tsx'
import { PasteDialog } from './PasteDialog.tsx'
import { Server } from './Server.tsx'
import { ServerDialog } from './ServerDialog.tsx'
import { formOfServer, newServer, type ServerForm } from './serverForm.ts'

/** MCP servers, with buttons to add more. */
export function Servers({ servers }: { servers: readonly McpServer[] }) {
  const t = useToolTranslate()
  const [form, setForm] = useState<ServerForm | null>(null)
  const [choosing, setChoosing] = useState(false)
  const [pasting, setPasting] = useState(false)
  return (
    <Group
      title={t('settings.servers.title')}
      about={t('settings.servers.about')}
      actions={
        <>
          <Button icon={LibraryBig} onClick={() => setChoosing(true)}>
            {t('settings.servers.gallery')}
          </Button>
          <Button icon={ClipboardPaste} onClick={() => setPasting(true)}>
            {t('settings.servers.paste')}
          </Button>
          <Button icon={Plus} onClick={() => setForm(newServer)}>
            {t('settings.servers.add')}
          </Button>
        </>
      }
    >
      {servers.length === 0 && <p className="text-s text-soft">{t('settings.servers.none')}</p>}
      <ul className="flex flex-col gap-2">
        {servers.map((server) => (
          <Server key={server.id} server={server} onEdit={() => setForm(formOfServer(server))} />
        ))}
      </ul>
      <ServerDialog form={form} servers={servers} onClose={() => setForm(null)} />
      <GalleryDialog open={choosing} servers={servers} onClose={() => setChoosing(false)} />
      <PasteDialog open={pasting} servers={servers} onClose={() => setPasting(false)} />
    </Group>
  )
}
