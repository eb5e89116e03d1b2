# folder.sh - where results lie; read with `.` by the scripts that write them.

# folder_of FOLDER FILE: FOLDER itself, or if that is empty bench/results/PROCESSOR, PROCESSOR being what the line
# `# processor` of FILE says in letters, digits and hyphens. It is made.
folder_of() {
    folder=$1
    if test -z "$folder"; then
        folder=$(sed -n 's/^# processor *//p' "$2" | head -n 1 | LC_ALL=C tr 'A-Z' 'a-z' | LC_ALL=C tr -cs 'a-z0-9' '-')
        folder=${folder#-}
        folder=bench/results/${folder%-}
    fi
    mkdir -p "$folder"
    echo "$folder"
}
