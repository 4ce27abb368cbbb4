import { ShortcutList } from '../../commands/ShortcutList.tsx'

export function ShortcutsSection() {
  return <ShortcutList />
}
