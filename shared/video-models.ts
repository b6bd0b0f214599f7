// Models that make videos, detected by their names: they accept orders only, which take minutes and cost money each.

export const videoNames =
  /(?:^|[-_/])sora|veo-\d|kling|^vidu|hailuo|[-_/]video|^video|^[ti]2v-|^s2v-|jimeng|seedance|cogvideo|[-_](?:ti?|i|kf|r)2v|^wan2\.[67]$|^wan-?video/i;
