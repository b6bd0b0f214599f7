# Sets up a program for this gateway: gets a key that you allow in the browser, and writes the program's settings.
#
#   & ([scriptblock]::Create((irm @ADDRESS@/setup.ps1))) claude-code
#
# Programs: claude-code, codex, gemini-cli. A file that exists is copied before it is changed.
param(
  [Parameter(Position = 0)] [ValidateSet('claude-code', 'codex', 'gemini-cli')] [string] $Program = 'claude-code',
  [ValidatePattern('^[A-Za-z0-9._:/@+-]*$')] [string] $Model = '',
  [ValidatePattern('^[A-Za-z0-9._:/@+-]*$')] [string] $SmallModel = ''
)
$ErrorActionPreference = 'Stop'
$address = '@ADDRESS@'
$utf8 = New-Object System.Text.UTF8Encoding $false
$title = @{ 'claude-code' = 'Claude Code'; 'codex' = 'Codex'; 'gemini-cli' = 'Gemini CLI' }[$Program]
$client = "tidegate-setup-$Program"

function Read-Settings([string] $file) {
  if (-not (Test-Path -LiteralPath $file) -or (Get-Item -LiteralPath $file).Length -eq 0) { return New-Object PSObject }
  try { $settings = Get-Content -Raw -LiteralPath $file -Encoding UTF8 | ConvertFrom-Json } catch { throw "$file is not plain JSON. Nothing was written." }
  if ($settings -isnot [System.Management.Automation.PSCustomObject]) { throw "$file is not a JSON object. Nothing was written." }
  return $settings
}

# Adds a member, or replaces it.
function Set-Member([psobject] $object, [string] $name, $value) { $object | Add-Member -Force -NotePropertyName $name -NotePropertyValue $value }

function Get-Child([psobject] $object, [string] $name) {
  if ($object.PSObject.Properties[$name] -eq $null -or $object.$name -isnot [System.Management.Automation.PSCustomObject]) {
    Set-Member $object $name (New-Object PSObject)
  }
  return $object.$name
}

# Shows the new text of a file, the key masked, and writes it; the old file is copied first.
function Install-File([string] $file, [string] $text) {
  Write-Host "--- $file"
  Write-Host $text.Replace($key, $key.Substring(0, 7) + '...')
  Write-Host '---'
  New-Item -ItemType Directory -Force -Path (Split-Path -Parent $file) | Out-Null
  if (Test-Path -LiteralPath $file) {
    $copy = "$file.before-tidegate-$(Get-Date -Format yyyyMMddHHmmssfff)"
    Copy-Item -LiteralPath $file -Destination $copy
    Write-Host "The file as it was: $copy"
  }
  [System.IO.File]::WriteAllText($file, $text, $utf8)
}

# Returns the reply, also of a refusal.
function Send-Form([string] $path, [hashtable] $form) {
  try { return Invoke-RestMethod -Method Post -Uri "$address$path" -Body $form }
  catch {
    $text = $_.ErrorDetails.Message
    if (-not $text) { throw }
    return $text | ConvertFrom-Json
  }
}

# Before a key is requested: a file that cannot be changed is found out now.
$claudeFolder = if ($env:CLAUDE_CONFIG_DIR) { $env:CLAUDE_CONFIG_DIR } else { Join-Path $HOME '.claude' }
$codexFolder = if ($env:CODEX_HOME) { $env:CODEX_HOME } else { Join-Path $HOME '.codex' }
$claudeFile = Join-Path $claudeFolder 'settings.json'
$geminiFile = Join-Path (Join-Path $HOME '.gemini') 'settings.json'
if ($Program -eq 'claude-code') { $settings = Read-Settings $claudeFile }
if ($Program -eq 'gemini-cli') { $settings = Read-Settings $geminiFile }

$device = Send-Form '/oauth/device_authorization' @{ client_id = $client; client_name = "$title ($([Environment]::MachineName))" }
if (-not $device.device_code) { throw "The server refused: $($device.error_description)" }
Write-Host "`nOpen this page and allow the key for ${title}:`n    $($device.verification_uri_complete)"
Write-Host "Check that it shows this code:  $($device.user_code)`n"
$interval = [int] $device.interval
do {
  Start-Sleep -Seconds $interval
  $reply = Send-Form '/oauth/token' @{
    grant_type = 'urn:ietf:params:oauth:grant-type:device_code'; client_id = $client; device_code = $device.device_code
  }
  if ($reply.error -eq 'slow_down') { $interval += 5 }
  elseif ($reply.error -and $reply.error -notin 'authorization_pending', 'temporarily_unavailable', 'server_error') {
    throw "No key ($($reply.error)): $($reply.error_description). Nothing was written."
  }
} until ($reply.access_token)
$key = $reply.access_token

switch ($Program) {
  'claude-code' {
    $variables = Get-Child $settings 'env'
    Set-Member $variables 'ANTHROPIC_BASE_URL' $address
    Set-Member $variables 'ANTHROPIC_AUTH_TOKEN' $key
    if ($Model) {
      foreach ($name in 'ANTHROPIC_MODEL', 'ANTHROPIC_DEFAULT_SONNET_MODEL', 'ANTHROPIC_DEFAULT_OPUS_MODEL') { Set-Member $variables $name $Model }
      Set-Member $variables 'ANTHROPIC_DEFAULT_HAIKU_MODEL' $(if ($SmallModel) { $SmallModel } else { $Model })
    }
    Install-File $claudeFile (($settings | ConvertTo-Json -Depth 50) + "`n")
  }
  'codex' {
    $file = Join-Path $codexFolder 'config.toml'
    $kept = New-Object System.Collections.Generic.List[string]
    $ours = $false; $own = $false; $inTable = $false
    if (Test-Path -LiteralPath $file) {
      foreach ($line in [System.IO.File]::ReadAllLines($file)) {
        if ($line -match '^# >>> tidegate') { $ours = $true }
        if ($ours) { if ($line -match '^# <<< tidegate') { $ours = $false }; continue }
        if ($line -match '^\s*\[') { $inTable = $true; $own = $line -match '^\s*\[\s*model_providers\.tidegate[\s.\]]' }
        if ($own) { continue }
        if (-not $inTable -and ($line -match '^\s*model_provider\s*=' -or ($Model -and $line -match '^\s*model\s*='))) { $line = "# $line" }
        $kept.Add($line)
      }
    }
    $top = @('# >>> tidegate', 'model_provider = "tidegate"') + $(if ($Model) { "model = `"$Model`"" } else { @() }) + '# <<< tidegate'
    $end = @('# >>> tidegate', '[model_providers.tidegate]', 'name = "Tidegate"', "base_url = `"$address/v1`"", 'wire_api = "responses"',
      "experimental_bearer_token = `"$key`"", '# <<< tidegate')
    Install-File $file ((($top + $kept.ToArray() + $end) -join "`n") + "`n")
  }
  'gemini-cli' {
    Set-Member (Get-Child (Get-Child $settings 'security') 'auth') 'selectedType' 'gemini-api-key'
    Install-File $geminiFile (($settings | ConvertTo-Json -Depth 50) + "`n")
    $file = Join-Path (Split-Path -Parent $geminiFile) '.env'
    $names = 'GOOGLE_GEMINI_BASE_URL|GEMINI_API_KEY' + $(if ($Model) { '|GEMINI_MODEL' } else { '' })
    $kept = @(if (Test-Path -LiteralPath $file) { [System.IO.File]::ReadAllLines($file) | Where-Object { $_ -notmatch "^\s*(export\s+)?($names)\s*=" } })
    $added = @("GOOGLE_GEMINI_BASE_URL=$address", "GEMINI_API_KEY=$key") + $(if ($Model) { "GEMINI_MODEL=$Model" } else { @() })
    Install-File $file ((($kept + $added) -join "`n") + "`n")
  }
}
Write-Host "Done. The key is listed at $address/apps, where you can end it."
