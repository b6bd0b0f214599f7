// Settings of backups. They name where all data goes, so only root changes them.
import { choiceSetting, integerSetting, textSetting, urlSetting } from '#shared/setting-values.ts';

const root = { write: 'root' } as const;
const rootSecret = { write: 'root', secret: true } as const;

export const backupSettings = {
  /** Hours between scheduled backups; 0: none. */
  BackupIntervalHours: integerSetting(0, { min: 0, max: 8760 }, root),
  /** Scheduled backups that remain; older ones are removed. */
  BackupKeep: integerSetting(7, { min: 1, max: 200 }, root),
  /** Seals the master key into each backup; without it the key is not in them. */
  BackupPassphrase: textSetting('', rootSecret),
  /** The folder is BACKUP_DIR of the environment. */
  BackupPlace: choiceSetting('folder', ['folder', 's3'], root),
  BackupS3Endpoint: urlSetting('', root),
  BackupS3Region: textSetting('us-east-1', root),
  BackupS3Bucket: textSetting('', root),
  BackupS3Prefix: textSetting('', root),
  BackupS3AccessKey: textSetting('', root),
  BackupS3SecretKey: textSetting('', rootSecret),
};
