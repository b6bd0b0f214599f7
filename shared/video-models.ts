// Models that make videos, told by their names: they take orders, which are answered minutes later, and each of which costs.

export const videoNames =
  /(?:^|[-_/])sora|veo-\d|kling|^vidu|hailuo|[-_/]video|^video|^[ti]2v-|^s2v-|jimeng|seedance|cogvideo|[-_](?:ti?|i|kf|r)2v|^wan2\.[67]$|^wan-?video/i;
