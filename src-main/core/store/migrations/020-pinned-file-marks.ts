/**
 * When a pinned file was removed from its folder, added again or renamed, in `sync_marks`: `item` is the folder, and `field` is `file ` with
 * the SHA-256 of the original, because the same file has another id on each computer. `value` is 1 for removed.
 *
 * A file that was added once and never changed has no mark: `added_at` decides. The deletion of a folder leaves no marks of its files, so
 * that they return with it.
 */
const put = (file: 'new' | 'old', value: string): string => `
  INSERT INTO sync_marks (what, item, field, at, value, parent)
    SELECT 'folder', ${file}.folder_id, 'file ' || m.sha256, CAST(round(unixepoch('now', 'subsec') * 1000) AS INTEGER), ${value}, NULL
      FROM media AS m WHERE m.id = ${file}.media_id
    ON CONFLICT (what, item, field) DO UPDATE SET at = max(excluded.at, sync_marks.at + 1), value = excluded.value;`
const local = 'NOT EXISTS (SELECT 1 FROM sync_merging)'

export const sql = `
CREATE TRIGGER sync_file_added AFTER INSERT ON folder_files
  WHEN ${local} AND EXISTS (SELECT 1 FROM sync_marks AS s JOIN media AS m ON s.field = 'file ' || m.sha256
    WHERE s.what = 'folder' AND s.item = new.folder_id AND m.id = new.media_id) BEGIN ${put('new', 'NULL')}
END;
CREATE TRIGGER sync_file_renamed AFTER UPDATE OF name ON folder_files
  WHEN new.name IS NOT old.name AND ${local} BEGIN ${put('new', 'NULL')}
END;
CREATE TRIGGER sync_file_removed AFTER DELETE ON folder_files
  WHEN ${local} AND EXISTS (SELECT 1 FROM folders WHERE id = old.folder_id) BEGIN ${put('old', "'1'")}
END;
`
