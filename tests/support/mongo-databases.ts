// Databases on the MongoDB server that TEST_MONGODB_URL names.
import { MongoClient } from 'mongodb';

export const testMongoUrl = process.env['TEST_MONGODB_URL'] || undefined;

/** The URL of a server with the name of a database in it. */
export function mongoUrl(server: string, name: string): string {
  return server.replace(/^(mongodb(?:\+srv)?:\/\/[^/?]+)(?:\/[^?]*)?/, `$1/${name}`);
}

export async function dropMongoDatabase(url: string): Promise<void> {
  const client = new MongoClient(url);
  try {
    await client.db().dropDatabase();
  } finally {
    await client.close();
  }
}
