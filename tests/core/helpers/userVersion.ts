import { DatabaseSync } from 'node:sqlite'

/** Writes the schema version of a closed database, as another version of the program would have. */
export function setUserVersion(file: string, version: number): void {
  const database = new DatabaseSync(file)
  database.exec(`PRAGMA user_version = ${version}`)
  database.close()
}
